import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createChance } from "../../../lab/basics/chance.ts";
import { type HaltRule, judgeRollouts, lowestShare } from "../../../src/publishing/rollout/halt-rule.ts";
import type { ReleaseFigures } from "../../../src/publishing/rollout/tally.ts";

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
  it("is stopped at the share by so many devices, and says how many it waits for", () => {
    assert.equal(verdict(2, 100, { percent: 2, least: 2 }).halts, true);
    assert.equal(
      verdict(40, 100, { percent: 2, least: 50 }).why,
      "undone on 40 of 100 that tried it (40 %), and --min-devices asks for 50",
    );
  });
});
