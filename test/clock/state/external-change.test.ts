import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { backOff, endBackOff, isBackingOff, noBackOff } from "../../../src/clock/state/external-change.ts";

const change = { kind: "step", seconds: 10 } as const;

describe("an external change", () => {
  it("is backed off from for two minutes at first", () => {
    const present = backOff(noBackOff, change, 1_000);
    assert.equal(isBackingOff(present, 1_119), true);
    assert.equal(isBackingOff(present, 1_121), false);
  });

  it("is backed off from twice as long each time, an hour at most", () => {
    let present = noBackOff;
    const waits = Array.from({ length: 7 }, (_, index) => {
      present = backOff(present, change, 5_000 * index);
      return present.waitSeconds;
    });
    assert.deepEqual(waits, [120, 240, 480, 960, 1_920, 3_600, 3_600]);
  });

  it("counts as the first one after a day without another", () => {
    const second = backOff(backOff(noBackOff, change, 0), change, 500);
    assert.equal(backOff(second, change, 200_000).waitSeconds, 120);
  });

  it("is forgotten when a correction is requested", () => {
    const present = endBackOff(backOff(noBackOff, change, 0), 10);
    assert.equal(isBackingOff(present, 10), false);
    assert.equal(present.conflict, null);
  });

  it("is told by code, with its figure and a sentence", () => {
    const none = { daemon: null, step_seconds: null, frequency_ppm: null };
    assert.deepEqual(backOff(noBackOff, { kind: "step", seconds: -2 }, 0).conflict, {
      ...{ ...none, code: "clock_stepped", step_seconds: -2 },
      detail: "Another program or person set the clock back by 2.00 s.",
    });
    assert.deepEqual(backOff(noBackOff, { kind: "frequency", ppm: 7 }, 0).conflict, {
      ...{ ...none, code: "frequency_set", frequency_ppm: 7 },
      detail: "Another program set the clock's frequency to 7.000 ppm.",
    });
  });
});
