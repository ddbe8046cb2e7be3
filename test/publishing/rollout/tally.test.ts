import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createChance } from "../../../lab/basics/chance.ts";
import { type HaltRule, judgeRollouts, lowestShare } from "../../../src/publishing/rollout/halt-rule.ts";
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
    const found = tally.figures().map(({ tried, undone }) => [tried, undone]);
    assert.deepEqual(found, [
      [0, 0],
      [0, 0],
    ]);
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
    const found = newest(tallied([line(1, "good", { hours: 7 })]))?.silent;
    assert.equal(found, 0, "a log that is read years later");
  });
});

describe("a roll-out", () => {
  const bad = (count: number) => numbers(count).map((device) => line(1_000 + device, "failed"));
  const halted = (lines: readonly string[], countBy: "devices" | "addresses" = "devices") =>
    haltedIn(tallied(lines, countBy).figures(), rule).map(({ version }) => version);

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

const none = { offered: 0, staged: 0, trial: 0, deferred: 0, aborted: 0, rolled_back: 0, refused: 0 };

function figures(undone: number, tried: number): ReleaseFigures {
  return {
    product: "demo",
    kind: "rules",
    name: "base",
    version: "1.2.0",
    channels: ["stable"],
    newestIn: ["stable"],
    states: { ...none, good: tried - undone, failed: undone },
    tried,
    undone,
    silent: null,
    counts_silent: false,
    undone_percent: tried === 0 ? null : Math.round((undone / tried) * 10_000) / 100,
    reached_percent: null,
  };
}

const byChance: HaltRule = { percent: 2, least: null };

function verdict(undone: number, tried: number, rule = byChance) {
  const [one] = judgeRollouts([figures(undone, tried)], rule);
  assert.ok(one);
  return one;
}

describe("the lower bound of a share", () => {
  // NIST/SEMATECH e-Handbook of Statistical Methods, 7.2.4.1: the lower end of the exact 90 % interval for 4 of 20 is
  // 0.071354. The others are scipy's beta.ppf(0.05, undone, tried - undone + 1).
  for (const [undone, tried, expected] of [
    [4, 20, 0.071354],
    [3, 51, 0.016223],
    [5, 98, 0.020316],
    [12, 400, 0.0174],
    [15, 30, 0.338893],
    [10, 10, 0.741134],
    [20_100, 1_000_000, 0.01987],
  ] as const) {
    it(`is ${expected} for ${undone} of ${tried}, as other programs compute it`, () => {
      assert.ok(Math.abs(lowestShare(undone, tried) - expected) < 0.000_001, `${lowestShare(undone, tried)}`);
    });
  }

  it("is none where nothing was undone", () => assert.equal(lowestShare(0, 50), 0));
});

describe("a roll-out without --min-devices", () => {
  it("is stopped by five devices where half of them fail, and not by twenty as before", () => {
    assert.equal(verdict(5, 10).halts, true);
    assert.equal(verdict(5, 99).halts, true);
  });

  it("goes on where the share may be chance, and says how to stop it nevertheless", () => {
    assert.equal(verdict(5, 100).halts, false);
    assert.deepEqual(verdict(12, 400), {
      release: figures(12, 400),
      halts: false,
      lowest_percent: 1.74,
      why: "undone on 12 of 400 that tried it (3 %); the true share may be as low as 1.74 % (95 % confidence), below 2 %. To stop it at so many: --min-devices 12",
    });
    assert.equal(verdict(12, 400, { percent: 2, least: 12 }).halts, true, "the line that it names");
  });

  it("goes on at a share above the limit that fewer than five devices make, and says so", () => {
    assert.match(verdict(3, 51).why, /^undone on 3 of 51 .*5\.88 %\); fewer than 5 .*--min-devices 3$/);
    assert.equal(verdict(4, 4).halts, false);
  });

  it("says that the share is below the limit, and that no device has tried it", () => {
    assert.equal(verdict(30, 2_000).why, "undone on 30 of 2000 that tried it (1.5 %), below 2 %");
    assert.equal(verdict(0, 0).why, "no device has tried it to its end yet");
  });

  it("is left alone where it is not the newest on offer", () => {
    assert.deepEqual(judgeRollouts([{ ...figures(50, 50), newestIn: [] }], byChance), []);
  });

  it("is stopped less often by chance than one time in twenty, where the share is below the limit", () => {
    // 200 roll-outs to 3,000 devices of which 1 % fail, in an order of their own, judged after each report.
    let stopped = 0;
    for (let rollout = 0; rollout < 200; rollout += 1) {
      const { uniform } = createChance(rollout);
      let undone = 0;
      for (let tried = 1; tried <= 3_000; tried += 1) {
        const isBad = uniform() < 0.01;
        if (isBad) undone += 1;
        if (!isBad || !verdict(undone, tried).halts) continue;
        stopped += 1;
        break;
      }
    }
    assert.ok(stopped <= 10, `${stopped} of 200 were stopped`);
  });
});

describe("a roll-out with --min-devices", () => {
  it("is stopped exactly at the share, also where it is a fraction, and by one device fewer not", () => {
    const halts = (percent: number, undone: number, tried: number, least = 1) =>
      verdict(undone, tried, { percent, least }).halts;
    const whole = [halts(2, 5, 250), halts(2, 5, 251), halts(100, 3, 3), halts(100, 2, 3)];
    const others = [halts(2.5, 1, 40), halts(2.5, 1, 41), halts(50, 2, 4, 2), halts(50, 2, 4, 3)];
    assert.deepEqual(
      [whole, others],
      [
        [true, false, true, false],
        [true, false, true, false],
      ],
    );
  });

  it("is stopped at the share by so many devices, and says how many it waits for", () => {
    assert.equal(verdict(2, 100, { percent: 2, least: 2 }).halts, true);
    const found = verdict(40, 100, { percent: 2, least: 50 }).why;
    assert.equal(found, "undone on 40 of 100 that tried it (40 %), and --min-devices asks for 50");
  });
});
