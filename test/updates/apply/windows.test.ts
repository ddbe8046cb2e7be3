import assert from "node:assert/strict";
import { env } from "node:process";
import { afterEach, describe, it } from "node:test";
import { type Windows, windowsAt } from "../../../src/updates/apply/windows.ts";

type Window = Windows[number];

const everyDay: Window["days"] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
const on = (day: Window["days"][number], from: string, to: string): Window => ({ days: [day], from, to });
const zoneOfTests = env.TZ;

afterEach(() => {
  if (zoneOfTests === undefined) delete env.TZ;
  else env.TZ = zoneOfTests;
});

const nightly = { days: everyDay, from: "02:00", to: "04:30" };
const berlin = "Europe/Berlin";

/** The claim, the zone of the host, the window, moments at which it is open, and others at which it is not. */
const rows: [what: string, zone: string, window: Window, open: string, closed: string][] = [
  ["are open from their beginning", "UTC", nightly, "11-20T02:00:00Z", "11-20T01:59:59.999Z"],
  ["are open until just before their end", "UTC", nightly, "11-20T04:29:59.999Z", "11-20T04:30:00Z"],
  // 20 November 2026 is a Friday.
  ["are of their weekdays", "UTC", on("fri", "02:00", "03:00"), "11-20T02:30Z", "11-21T02:30Z"],
  [
    "reach into the next day where they end before they begin, by the day they began on",
    ...(["UTC", on("fri", "22:00", "06:00")] as const),
    ...(["11-20T22:00Z 11-21T05:59Z", "11-20T05:00Z 11-21T06:00Z 11-21T22:30Z"] as const),
  ],
  [
    "last a whole day where they end when they begin",
    ...(["UTC", on("fri", "12:00", "12:00"), "11-21T11:59Z", "11-20T11:59Z 11-21T12:00Z"] as const),
  ],
  // Saturday 02:30 in Auckland (UTC+13 in November) is Friday 13:30 UTC.
  ["go by the host's zone", "Pacific/Auckland", on("sat", "02:00", "03:00"), "11-20T13:30Z", "11-21T02:30Z"],
  [
    // Clocks go forward on 29 March 2026 at 01:00 UTC: 06:00 is 04:00 UTC. Back on 25 October: 06:00 is 05:00 UTC.
    "end when the wall says so, however long the night of the change is",
    ...([berlin, on("sat", "22:00", "06:00")] as const),
    ...(["03-29T03:59Z 10-25T04:59Z", "03-29T04:00Z 10-25T05:00Z"] as const),
  ],
  [
    // 02:00 is not there on 29 March: the hour from 03:00, which is 01:00 UTC, takes its place.
    "are not lost with the hour that is skipped",
    ...([
      berlin,
      on("sun", "02:00", "03:00"),
      "03-29T01:00Z 03-29T01:59Z",
      "03-29T00:59Z 03-29T02:00Z",
    ] as const),
  ],
  // 02:30 on 25 October is 00:30 UTC, and then 01:30 UTC again.
  [
    "open once in the hour that comes twice",
    berlin,
    on("sun", "02:10", "02:50"),
    "10-25T00:30Z",
    "10-25T01:30Z",
  ],
  [
    // Clocks go forward at 24:00 of Saturday 5 September 2026: Sunday begins at 01:00, which is 04:00 UTC.
    "are there on a day without midnight",
    ...([
      "America/Santiago",
      on("sun", "00:00", "05:00"),
      "09-06T04:00Z",
      "09-06T03:59Z 09-06T08:00Z",
    ] as const),
  ],
];

describe("windows", () => {
  it("are always open where there are none", () =>
    assert.deepEqual(windowsAt([], new Date(0)), { isOpen: true, opensAt: null }));

  for (const [what, zone, window, open, closed] of rows)
    it(what, () => {
      // Node takes the zone from here whenever it is set.
      env.TZ = zone;
      const isOpen = (time: string) => windowsAt([window], new Date(`2026-${time}`)).isOpen;
      for (const [times, expected] of [
        [open, true],
        [closed, false],
      ] as const)
        for (const time of times.split(" ")) assert.equal(isOpen(time), expected, time);
    });

  it("open the next day, or a week ahead where that is the next", () => {
    env.TZ = "UTC";
    const opensAt = (window: Window, time: string) =>
      windowsAt([window], new Date(time)).opensAt?.toISOString();
    assert.equal(opensAt(nightly, "2026-11-20T01:00Z"), "2026-11-20T02:00:00.000Z");
    assert.equal(opensAt(nightly, "2026-11-20T03:00Z"), "2026-11-21T02:00:00.000Z");
    assert.equal(opensAt(on("fri", "02:00", "03:00"), "2026-11-20T02:30Z"), "2026-11-27T02:00:00.000Z");
  });
});
