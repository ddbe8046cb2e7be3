import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { contested, isContested, settled, uncontested } from "../../../src/clock/loop/external-change.ts";

const hand = { kind: "step", seconds: 10 } as const;

describe("another hand on the clock", () => {
  it("is given way to for two minutes at first", () => {
    const contest = contested(uncontested, hand, 1_000);
    assert.equal(isContested(contest, 1_119), true);
    assert.equal(isContested(contest, 1_121), false);
  });

  it("is given way to twice as long each time, an hour at most", () => {
    let contest = uncontested;
    const waits = Array.from({ length: 7 }, (_, index) => {
      contest = contested(contest, hand, 5_000 * index);
      return contest.waitSeconds;
    });
    assert.deepEqual(waits, [120, 240, 480, 960, 1_920, 3_600, 3_600]);
  });

  it("is a first one again after a day of peace", () => {
    const second = contested(contested(uncontested, hand, 0), hand, 500);
    assert.equal(contested(second, hand, 200_000).waitSeconds, 120);
  });

  it("is forgotten when a person asks for a correction", () => {
    const contest = settled(contested(uncontested, hand, 0), 10);
    assert.equal(isContested(contest, 10), false);
    assert.equal(contest.conflict, null);
  });

  it("is told in words", () => {
    const none = { daemon: null, step_seconds: null, frequency_ppm: null };
    assert.deepEqual(contested(uncontested, { kind: "step", seconds: -2 }, 0).conflict, {
      ...{ ...none, code: "clock_stepped", step_seconds: -2 },
      detail: "Another program or person set the clock back by 2.000 s.",
    });
    assert.deepEqual(contested(uncontested, { kind: "frequency", ppm: 7 }, 0).conflict, {
      ...{ ...none, code: "frequency_set", frequency_ppm: 7 },
      detail: "Another program set the clock's frequency to 7.000 ppm.",
    });
  });
});
