import assert from "node:assert/strict";
import { env } from "node:process";
import { afterEach, describe, it } from "node:test";
import { type Windows, windowsAt } from "../../../src/updates/apply/windows.ts";

const everyDay = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
const zoneOfTests = env.TZ;

/** Node takes the zone from here whenever it is set. */
function inZone(zone: string): void {
  env.TZ = zone;
}

afterEach(() => {
  if (zoneOfTests === undefined) delete env.TZ;
  else env.TZ = zoneOfTests;
});

function isOpen(windows: Windows, time: string): boolean {
  return windowsAt(windows, new Date(time)).isOpen;
}

function opensAt(windows: Windows, time: string): string | undefined {
  return windowsAt(windows, new Date(time)).opensAt?.toISOString();
}

describe("windows", () => {
  it("are always open where there are none", () => {
    assert.deepEqual(windowsAt([], new Date(0)), { isOpen: true, opensAt: null });
  });

  it("are open from their beginning until just before their end, each day", () => {
    inZone("UTC");
    const windows: Windows = [{ days: [...everyDay], from: "02:00", to: "04:30" }];
    assert.equal(isOpen(windows, "2026-11-20T01:59:59.999Z"), false);
    assert.equal(isOpen(windows, "2026-11-20T02:00:00Z"), true);
    assert.equal(isOpen(windows, "2026-11-20T04:29:59.999Z"), true);
    assert.equal(isOpen(windows, "2026-11-20T04:30:00Z"), false);
    assert.equal(opensAt(windows, "2026-11-20T01:00:00Z"), "2026-11-20T02:00:00.000Z");
    assert.equal(opensAt(windows, "2026-11-20T03:00:00Z"), "2026-11-21T02:00:00.000Z");
  });

  it("are of their weekdays, a week ahead where that is the next", () => {
    inZone("UTC");
    // 20 November 2026 is a Friday.
    const windows: Windows = [{ days: ["fri"], from: "02:00", to: "03:00" }];
    assert.equal(isOpen(windows, "2026-11-20T02:30:00Z"), true);
    assert.equal(isOpen(windows, "2026-11-21T02:30:00Z"), false);
    assert.equal(opensAt(windows, "2026-11-20T02:30:00Z"), "2026-11-27T02:00:00.000Z");
  });

  it("reach into the next day where they end before they begin, by the day they began on", () => {
    inZone("UTC");
    const windows: Windows = [{ days: ["fri"], from: "22:00", to: "06:00" }];
    assert.equal(isOpen(windows, "2026-11-20T05:00:00Z"), false);
    assert.equal(isOpen(windows, "2026-11-20T22:00:00Z"), true);
    assert.equal(isOpen(windows, "2026-11-21T05:59:00Z"), true);
    assert.equal(isOpen(windows, "2026-11-21T06:00:00Z"), false);
    assert.equal(isOpen(windows, "2026-11-21T22:30:00Z"), false);
  });

  it("last a whole day where they end when they begin", () => {
    inZone("UTC");
    const windows: Windows = [{ days: ["fri"], from: "12:00", to: "12:00" }];
    assert.equal(isOpen(windows, "2026-11-20T11:59:00Z"), false);
    assert.equal(isOpen(windows, "2026-11-21T11:59:00Z"), true);
    assert.equal(isOpen(windows, "2026-11-21T12:00:00Z"), false);
  });

  it("go by the zone of the host, its weekday too", () => {
    inZone("Pacific/Auckland");
    const windows: Windows = [{ days: ["sat"], from: "02:00", to: "03:00" }];
    // Saturday 02:30 in Auckland (UTC+13 in November) is Friday 13:30 UTC.
    assert.equal(isOpen(windows, "2026-11-20T13:30:00Z"), true);
    assert.equal(isOpen(windows, "2026-11-21T02:30:00Z"), false);
  });

  it("end when the wall says so, however long the night of the change is", () => {
    inZone("Europe/Berlin");
    const windows: Windows = [{ days: ["sat"], from: "22:00", to: "06:00" }];
    // Clocks go forward on 29 March 2026 at 01:00 UTC: 06:00 is 04:00 UTC.
    assert.equal(isOpen(windows, "2026-03-29T03:59:00Z"), true);
    assert.equal(isOpen(windows, "2026-03-29T04:00:00Z"), false);
    // Back on 25 October at 01:00 UTC: 06:00 is 05:00 UTC.
    assert.equal(isOpen(windows, "2026-10-25T04:59:00Z"), true);
    assert.equal(isOpen(windows, "2026-10-25T05:00:00Z"), false);
  });

  it("are not lost with the hour that is skipped", () => {
    inZone("Europe/Berlin");
    const windows: Windows = [{ days: ["sun"], from: "02:00", to: "03:00" }];
    // 02:00 is not there on 29 March: the hour from 03:00, which is 01:00 UTC, takes its place.
    assert.equal(isOpen(windows, "2026-03-29T00:59:00Z"), false);
    assert.equal(isOpen(windows, "2026-03-29T01:00:00Z"), true);
    assert.equal(isOpen(windows, "2026-03-29T01:59:00Z"), true);
    assert.equal(isOpen(windows, "2026-03-29T02:00:00Z"), false);
  });

  it("open once in the hour that comes twice", () => {
    inZone("Europe/Berlin");
    const windows: Windows = [{ days: ["sun"], from: "02:10", to: "02:50" }];
    // 02:30 on 25 October is 00:30 UTC, and then 01:30 UTC again.
    assert.equal(isOpen(windows, "2026-10-25T00:30:00Z"), true);
    assert.equal(isOpen(windows, "2026-10-25T01:30:00Z"), false);
  });

  it("are there on a day without midnight", () => {
    inZone("America/Santiago");
    // Clocks go forward at 24:00 of Saturday 5 September 2026: Sunday begins at 01:00, which is 04:00 UTC.
    const windows: Windows = [{ days: ["sun"], from: "00:00", to: "05:00" }];
    assert.equal(isOpen(windows, "2026-09-06T03:59:00Z"), false);
    assert.equal(isOpen(windows, "2026-09-06T04:00:00Z"), true);
    assert.equal(isOpen(windows, "2026-09-06T08:00:00Z"), false);
  });
});
