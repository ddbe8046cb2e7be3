import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type HaltRule, judgeRollouts } from "../../../src/publishing/rollout/halt-rule.ts";
import {
  type ReleaseFigures,
  Tally,
  type TallyOptions,
  type WatchedRelease,
} from "../../../src/publishing/rollout/tally.ts";

const rules = (version: string): WatchedRelease => ({
  product: "demo",
  kind: "rules",
  name: "base",
  version,
  channels: ["stable"],
  newestIn: version === "1.2.0" ? ["stable"] : [],
  reach: [
    { seconds: secondsAt(0), percent: 10 },
    { seconds: secondsAt(20), percent: 100 },
  ],
});

/** The newest releases that too many devices have undone. */
function haltedIn(figures: readonly ReleaseFigures[], halting: HaltRule): readonly ReleaseFigures[] {
  return judgeRollouts(figures, halting).flatMap(({ release, halts }) => (halts ? [release] : []));
}

/** So many hours after the start of the roll-out. */
function secondsAt(hours: number): number {
  return Date.parse("2026-11-23T00:00:00Z") / 1_000 + hours * 3_600;
}

/** As a device with this number sends it, from an address of its own unless one is given. */
function line(
  device: number,
  state: string,
  { version = "1.2.0", wave = 5, address = "", hours = 7 } = {},
): string {
  const from = address || `10.0.${device >> 8}.${device & 255}`;
  const id = device.toString(16).padStart(12, "0");
  const report = `steward/0.1.0;v=1, product/demo, rules/base/${version};state=${state};wave=${wave}.000;device=d${id}`;
  const time = new Date(secondsAt(hours) * 1_000).toISOString();
  const [, day, clock] = /^.{8}(\d\d)T([\d:]{8})/.exec(time) ?? [];
  return `${from} - - [${day}/Nov/2026:${clock} +0000] "GET /metadata/timestamp.json HTTP/1.1" 200 9 "-" "-" "${report}"`;
}

function tallied(
  lines: readonly string[],
  countBy: "devices" | "addresses" = "devices",
  options: Partial<TallyOptions> = {},
): Tally {
  const tally = new Tally({ countBy, silentAfterSeconds: 86_400, countsSilent: false, ...options });
  tally.watch([rules("1.1.0"), rules("1.2.0")]);
  for (const one of lines) tally.addLine(one);
  return tally;
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
const newest = (tally: Tally) => tally.figures()[0];
const rule = { percent: 2, least: 5 };

describe("the tally of an access log", () => {
  it("counts each device once, by its last report, and the newest release first", () => {
    const tally = tallied([
      line(1, "offered"),
      line(1, "trial"),
      line(1, "good", { wave: 3 }),
      line(2, "failed", { wave: 7 }),
      line(2, "failed", { wave: 7 }),
      line(3, "rolled_back"),
      line(4, "offered", { wave: 99 }),
      line(5, "refused"),
      line(6, "good", { version: "1.1.0" }),
    ]);
    const [one, other] = tally.figures();
    assert.deepEqual([one?.version, other?.version, other?.states.good], ["1.2.0", "1.1.0", 1]);
    assert.deepEqual([one?.tried, one?.undone, one?.undone_percent], [3, 2, 66.67]);
    assert.deepEqual([one?.states.offered, one?.states.refused, one?.reached_percent], [1, 1, 7]);
  });

  it("counts garbage and never believes it", () => {
    const garbage = [
      "",
      "GET / HTTP/1.1",
      line(1, "failed").slice(0, -1),
      line(1, "on fire"),
      line(1, "failed", { version: "9.9.9" }),
      line(1, "failed").replace("product/demo", "product/other"),
      line(1, "failed").replace("v=1", "v=7"),
      `${"\u0000".repeat(100)}`,
      "x".repeat(100_000),
      '{"remote_addr":{},"steward_report":[]}',
    ];
    const tally = tallied(numbers(200).flatMap(() => garbage));
    assert.deepEqual(
      tally.figures().map(({ tried, undone }) => [tried, undone]),
      [
        [0, 0],
        [0, 0],
      ],
    );
    assert.deepEqual(tally.log(), {
      lines: 2_000,
      silent: 200,
      malformed: 1_000,
      unreadable: 200,
      foreign: 600,
      beyond_limit: 0,
      newest_at: "2026-11-23T07:00:00Z",
    });
    assert.deepEqual(haltedIn(tally.figures(), { percent: 1, least: 1 }), []);
  });

  it("keeps no more devices than fit, however many are made up", () => {
    const tally = tallied(
      numbers(150).map((device) => line(device, "good")),
      "devices",
      { most: 100 },
    );
    assert.deepEqual([newest(tally)?.tried, tally.log().beyond_limit], [100, 50]);
  });
});

describe("devices whose last report is old", () => {
  const lines = [
    line(1, "good", { hours: 7 }),
    line(2, "trial", { hours: 7 }),
    line(3, "staged", { hours: 7 }),
    line(4, "offered", { hours: 7, wave: 9 }),
    // Their waves had not come, so the release cannot be why they are silent.
    line(5, "offered", { hours: 7, wave: 10 }),
    line(6, "staged", { hours: 7, wave: 50 }),
    // The release is not in force there.
    line(7, "failed", { hours: 7 }),
    line(8, "refused", { hours: 7 }),
    // Reported again, or just not old yet.
    line(9, "trial", { hours: 7 }),
    line(9, "good", { hours: 40 }),
    line(10, "good", { hours: 40 - 24 }),
    line(11, "good", { hours: 7, version: "1.1.0" }),
  ];

  it("are counted where they had the release or could begin it, and not among the undone unasked", () => {
    const [one, other] = tallied(lines).figures();
    assert.deepEqual([one?.silent, one?.undone, one?.tried], [4, 1, 4]);
    assert.equal(other?.silent, null, "a device that has moved on is silent about the former release");
  });

  it("count as undone where that is asked for, also those that were good", () => {
    const one = newest(tallied(lines, "devices", { countsSilent: true }));
    assert.deepEqual([one?.silent, one?.undone, one?.tried, one?.undone_percent], [4, 5, 7, 71.43]);
  });

  it("stop a release that kills devices, which no report ever says", () => {
    const dead = numbers(6).map((device) => line(device, "offered", { hours: 4 }));
    const alive = numbers(10).map((device) => line(100 + device, "good", { hours: 30 }));
    const halted = (countsSilent: boolean) =>
      haltedIn(tallied([...dead, ...alive], "devices", { countsSilent }).figures(), {
        percent: 2,
        least: null,
      }).length;
    assert.deepEqual([halted(false), halted(true)], [0, 1]);
  });

  it("are judged by the newest line of the log, and by none where lines have no time", () => {
    const untimed = lines.map((one) => one.replace(/\[.*?\]/, "[-]"));
    assert.deepEqual([newest(tallied(untimed))?.silent, tallied(untimed).log().newest_at], [null, null]);
    assert.equal(
      newest(tallied([line(1, "good", { hours: 7 })]))?.silent,
      0,
      "a log that is read years later",
    );
  });
});

describe("a roll-out", () => {
  const good = numbers(195).map((device) => line(device, "good"));
  const bad = (count: number) => numbers(count).map((device) => line(1_000 + device, "failed"));
  const halted = (lines: readonly string[], countBy: "devices" | "addresses" = "devices") =>
    haltedIn(tallied(lines, countBy).figures(), rule).map(({ version }) => version);

  it("is stopped at the share and the number that were asked for, and not below either", () => {
    assert.deepEqual(halted([...good, ...bad(5)]), ["1.2.0"]);
    assert.deepEqual(halted([...good, ...bad(4)]), [], "4 are 2 % of 199, and fewer than 5");
    const many = numbers(250).map((device) => line(device, "good"));
    assert.deepEqual(halted([...many, ...bad(5)]), [], "5 are enough, and 1.96 % of 255");
  });

  it("is stopped exactly at the share, also where it is a fraction, and by one device fewer not", () => {
    const haltsAt = (percent: number, [undone, tried]: readonly [number, number], least = 1) => {
      const lines = numbers(tried).map((device) => line(device, device < undone ? "failed" : "good"));
      return haltedIn(tallied(lines).figures(), { percent, least }).length > 0;
    };
    assert.deepEqual([haltsAt(2, [5, 250]), haltsAt(2, [5, 251])], [true, false]);
    assert.deepEqual([haltsAt(2.5, [1, 40]), haltsAt(2.5, [1, 41])], [true, false]);
    assert.deepEqual([haltsAt(100, [3, 3]), haltsAt(100, [2, 3])], [true, false]);
    assert.deepEqual([haltsAt(50, [2, 4], 2), haltsAt(50, [2, 4], 3)], [true, false]);
  });

  it("is not stopped by one device, however often and in whatever words it reports", () => {
    const states = ["failed", "deferred", "aborted", "rolled_back"];
    assert.deepEqual(halted(numbers(400).map((index) => line(7, states[index % 4] ?? ""))), []);
  });

  it("is not stopped by one address that makes up devices, where addresses are counted", () => {
    const made = numbers(400).map((device) => line(device, "failed", { address: "192.0.2.1" }));
    assert.deepEqual(halted(made), ["1.2.0"]);
    assert.deepEqual(halted(made, "addresses"), []);
    const sameNetwork = numbers(400).map((device) => {
      return line(device, "failed", { address: `2001:db8:1:2::${device.toString(16)}` });
    });
    assert.deepEqual(halted(sameNetwork, "addresses"), []);
    assert.deepEqual(halted(bad(5), "addresses"), ["1.2.0"]);
  });

  it("is the one of the newest release: an older one is left alone", () => {
    const older = numbers(50).map((device) => line(device, "failed", { version: "1.1.0" }));
    assert.deepEqual(halted(older), []);
  });

  it("waits for devices that have tried it: those to which it is only offered do not dilute the share", () => {
    const offered = numbers(10_000).map((device) => line(5_000 + device, "offered"));
    assert.deepEqual(halted([...offered, ...bad(5)]), ["1.2.0"]);
  });
});
