import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createChance } from "../../../lab/basics/chance.ts";
import { judgeRollouts, lowestShare } from "../../../src/publishing/rollout/halt-rule.ts";
import {
  type ReleaseFigures,
  Tally,
  type TallyOptions,
  type WatchedRelease,
} from "../../../src/publishing/rollout/tally.ts";

const start = Date.parse("2026-11-23T00:00:00Z") / 1_000;

const rules = (version: string): WatchedRelease => ({
  ...{ product: "demo", kind: "rules", name: "base", version, channels: ["stable"] },
  newestIn: version === "1.2.0" ? ["stable"] : [],
  reach: [
    { seconds: start, percent: 10 },
    { seconds: start + 20 * 3_600, percent: 100 },
  ],
});

/** As a device with this number sends it, so many hours after the start, from an address of its own unless one is given. */
function line(device: number, state: string, { version = "1.2.0", wave = 5, address = "", hours = 7 } = {}) {
  const from = address || `10.0.${device >> 8}.${device & 255}`;
  const id = device.toString(16).padStart(12, "0");
  const report = `steward/0.1.0;v=1, product/demo, rules/base/${version};state=${state};wave=${wave}.000;device=d${id}`;
  const time = new Date((start + hours * 3_600) * 1_000).toISOString();
  const [, day, clock] = /^.{8}(\d\d)T([\d:]{8})/.exec(time) ?? [];
  return `${from} - - [${day}/Nov/2026:${clock} +0000] "GET /metadata/timestamp.json HTTP/1.1" 200 9 "-" "-" "${report}"`;
}

function tallied(lines: readonly string[], options: Partial<TallyOptions> = {}): Tally {
  const usual = { countBy: "devices", silentAfterSeconds: 86_400, countsSilent: false } as const;
  const tally = new Tally({ ...usual, ...options });
  tally.watch([rules("1.1.0"), rules("1.2.0")]);
  for (const one of lines) tally.addLine(one);
  return tally;
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
const newest = (tally: Tally) => tally.figures()[0];

/** The versions that are stopped at 2 %, by default as soon as five devices have undone them. */
const halted = (lines: readonly string[], options: Partial<TallyOptions> = {}, least: number | null = 5) =>
  judgeRollouts(tallied(lines, options).figures(), { percent: 2, least }).flatMap(({ release, halts }) =>
    halts ? [release.version] : [],
  );

describe("the tally of an access log", () => {
  it("counts each device once, by its last report, and the newest release first", () => {
    const [one, other] = tallied([
      line(1, "offered"),
      line(1, "trial"),
      line(1, "good", { wave: 3 }),
      line(2, "failed", { wave: 7 }),
      line(2, "failed", { wave: 7 }),
      line(3, "rolled_back"),
      line(4, "offered", { wave: 99 }),
      line(5, "refused"),
      line(6, "good", { version: "1.1.0" }),
    ]).figures();
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
    const found = tally.figures().map(({ tried, undone }) => tried + undone);
    assert.deepEqual(found, [0, 0]);
    assert.deepEqual(tally.log(), {
      ...{ lines: 2_000, silent: 200, malformed: 1_000, unreadable: 200, foreign: 600, beyond_limit: 0 },
      newest_at: "2026-11-23T07:00:00Z",
    });
  });

  it("keeps no more devices than fit, however many are made up", () => {
    const tally = tallied(
      numbers(150).map((device) => line(device, "good")),
      { most: 100 },
    );
    assert.deepEqual([newest(tally)?.tried, tally.log().beyond_limit], [100, 50]);
  });
});

describe("devices whose last report is old", () => {
  const lines = [
    line(1, "good"),
    line(2, "trial"),
    line(3, "staged"),
    line(4, "offered", { wave: 9 }),
    // Their waves had not come, so the release cannot be why they are silent.
    line(5, "offered", { wave: 10 }),
    line(6, "staged", { wave: 50 }),
    // The release is not in force there.
    line(7, "failed"),
    line(8, "refused"),
    // Reported again, or just not old yet.
    line(9, "trial"),
    line(9, "good", { hours: 40 }),
    line(10, "good", { hours: 40 - 24 }),
    line(11, "good", { version: "1.1.0" }),
  ];

  it("are counted where they had the release or could begin it, and among the undone where that is asked for", () => {
    const [one, other] = tallied(lines).figures();
    assert.deepEqual([one?.silent, one?.undone, one?.tried], [4, 1, 4]);
    assert.equal(other?.silent, null, "a device that has moved on is silent about the former release");
    const asked = newest(tallied(lines, { countsSilent: true }));
    assert.deepEqual([asked?.silent, asked?.undone, asked?.tried, asked?.undone_percent], [4, 5, 7, 71.43]);
  });

  it("stop a release that kills devices, which no report ever says", () => {
    const dead = numbers(6).map((device) => line(device, "offered", { hours: 4 }));
    const alive = numbers(10).map((device) => line(100 + device, "good", { hours: 30 }));
    const versions = [false, true].map((countsSilent) => halted([...dead, ...alive], { countsSilent }, null));
    assert.deepEqual(versions, [[], ["1.2.0"]]);
  });

  it("are judged by the newest line of the log, and by none where lines have no time", () => {
    const untimed = tallied(lines.map((one) => one.replace(/\[.*?\]/, "[-]")));
    assert.deepEqual([newest(untimed)?.silent, untimed.log().newest_at], [null, null]);
    assert.equal(newest(tallied([line(1, "good")]))?.silent, 0, "a log that is read years later");
  });
});

describe("a roll-out", () => {
  const states = ["failed", "deferred", "aborted", "rolled_back"];
  const bad = numbers(5).map((device) => line(1_000 + device, "failed"));
  const fromOne = numbers(400).map((device) => line(device, "failed", { address: "192.0.2.1" }));
  const fromNetwork = numbers(400).map((device) =>
    line(device, "failed", { address: `2001:db8:1:2::${device.toString(16)}` }),
  );
  const older = numbers(50).map((device) => line(device, "failed", { version: "1.1.0" }));
  const offered = numbers(10_000).map((device) => line(5_000 + device, "offered"));
  const byAddress = { countBy: "addresses" } as const;
  const byOne = numbers(400).map((index) => line(7, states[index % 4] ?? ""));
  for (const [name, lines, options, isHalted] of [
    ["is not stopped by one device, however often and in whatever words it reports", byOne, {}, false],
    ["is stopped by devices that one address makes up", fromOne, {}, true],
    ["but not where addresses are counted", fromOne, byAddress, false],
    ["nor by those of one network then", fromNetwork, byAddress, false],
    ["but by five addresses", bad, byAddress, true],
    ["is the one of the newest release: an older one is left alone", older, {}, false],
    ["is not diluted by devices to which it is only offered", [...offered, ...bad], {}, true],
  ] as const)
    it(name, () => assert.deepEqual(halted(lines, options), isHalted ? ["1.2.0"] : []));
});

const none = { offered: 0, staged: 0, trial: 0, deferred: 0, aborted: 0, rolled_back: 0, refused: 0 };

function figures(undone: number, tried: number): ReleaseFigures {
  const { reach: _, ...release } = rules("1.2.0");
  return {
    ...release,
    states: { ...none, good: tried - undone, failed: undone },
    ...{ tried, undone, silent: null, counts_silent: false, reached_percent: null },
    undone_percent: tried === 0 ? null : Math.round((undone / tried) * 10_000) / 100,
  };
}

function verdict(undone: number, tried: number, percent = 2, least: number | null = null) {
  const [one] = judgeRollouts([figures(undone, tried)], { percent, least });
  assert.ok(one);
  return one;
}

describe("the verdict on a roll-out", () => {
  // NIST/SEMATECH e-Handbook of Statistical Methods, 7.2.4.1: the lower end of the exact 90 % interval for 4 of 20 is
  // 0.071354. The others are scipy's beta.ppf(0.05, undone, tried - undone + 1).
  for (const [undone, tried, expected] of [
    [4, 20, 0.071354],
    [5, 98, 0.020316],
    [12, 400, 0.0174],
    [10, 10, 0.741134],
    [20_100, 1_000_000, 0.01987],
    [0, 50, 0],
  ] as const)
    it(`goes by a lower bound of ${expected} for ${undone} of ${tried}, as other programs compute it`, () => {
      assert.ok(Math.abs(lowestShare(undone, tried) - expected) < 0.000_001, `${lowestShare(undone, tried)}`);
    });

  for (const [undone, tried, percent, least, halts, why] of [
    [5, 10, 2, null, true, "undone on 5 of 10 that tried it (50 %)"],
    [5, 99, 2, null, true, "undone on 5 of 99 that tried it (5.05 %)"],
    [5, 100, 2, null, false, /true share may be as low as 1\.99 %/],
    [
      ...([12, 400, 2, null, false] as const),
      "undone on 12 of 400 that tried it (3 %); the true share may be as low as 1.74 % (95 % confidence), below 2 %. To stop it at so many: --min-devices 12",
    ],
    [12, 400, 2, 12, true, "undone on 12 of 400 that tried it (3 %)"],
    [3, 51, 2, null, false, /^undone on 3 of 51 .*5\.88 %\); fewer than 5 .*--min-devices 3$/],
    [4, 4, 2, null, false, /fewer than 5 may be chance/],
    [30, 2_000, 2, null, false, "undone on 30 of 2000 that tried it (1.5 %), below 2 %"],
    [0, 0, 2, null, false, "no device has tried it to its end yet"],
    [40, 100, 2, 50, false, "undone on 40 of 100 that tried it (40 %), and --min-devices asks for 50"],
    [2, 100, 2, 2, true, /2 of 100/],
    [5, 250, 2, 1, true, /./],
    [5, 251, 2, 1, false, /below 2 %/],
    [3, 3, 100, 1, true, /./],
    [2, 3, 100, 1, false, /./],
    [1, 40, 2.5, 1, true, /./],
    [1, 41, 2.5, 1, false, /./],
  ] as const)
    it(`${halts ? "stops" : "lets go on"} ${undone} of ${tried} at ${percent} % and at least ${least ?? "by chance"}`, () => {
      const found = verdict(undone, tried, percent, least);
      assert.equal(found.halts, halts);
      if (typeof why === "string") assert.equal(found.why, why);
      else assert.match(found.why, why);
    });

  it("stops less often by chance than one time in twenty, where the share is below the limit", () => {
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
