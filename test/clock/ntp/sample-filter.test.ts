import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { Sample } from "../../../src/clock/ntp/sample.ts";
import {
  addSample,
  emptyRegister,
  estimateOf,
  leastJitterSeconds,
  rootDistance,
  type SampleRegister,
  shiftSamples,
} from "../../../src/clock/ntp/sample-filter.ts";
import { sampleWith } from "../samples.ts";

function registerOf(...samples: Partial<Sample>[]): SampleRegister {
  return samples.map(sampleWith).reduce(addSample, emptyRegister);
}

function near(actual: number | undefined, expected: number, tolerance = 1e-12): void {
  assert.ok(actual !== undefined && Math.abs(actual - expected) <= tolerance, `${actual}, not ${expected}`);
}

describe("the clock filter", () => {
  it("says nothing without a sample", () => {
    assert.equal(estimateOf(emptyRegister, 0), null);
  });

  const slow = { delaySeconds: 0.01 };
  const best = { delaySeconds: 0.000_1, offsetSeconds: 0.5 };
  const seven = Array.from({ length: 7 }, () => slow);
  // 10 ms against 20 ms of delay. After 300 s the old one costs 0.010 + 2 × 15 ppm × 300 = 0.019, after 400 s 0.022.
  const pair = (atSeconds: number) =>
    registerOf({ ...slow, offsetSeconds: 0.5 }, { atSeconds, delaySeconds: 0.02 });
  const rows: [string, SampleRegister, number, number][] = [
    ["the one of least delay, not the newest", registerOf(best, { ...slow, atSeconds: 1 }), 1, 0.5],
    ["the newest of equal ones", registerOf({ ...slow, offsetSeconds: 0.5 }, slow), 0, 0],
    ["an old one as long as the clocks drifted little", pair(300), 300, 0.5],
    ["a slower new one when they may have drifted by more", pair(400), 400, 0],
    ["the eighth", registerOf(best, ...seven), 0, 0.5],
    ["no ninth", registerOf(best, ...seven, slow), 0, 0],
    // 2 s behind and stepped 1.5 s forward is 0.5 s behind.
    ["one as it is after a step of the host", shiftSamples(registerOf({ offsetSeconds: 2 }), 1.5), 0, 0.5],
  ];
  for (const [name, register, now, offsetSeconds] of rows)
    it(`believes ${name}`, () => assert.equal(estimateOf(register, now)?.offsetSeconds, offsetSeconds));

  it("takes the others' RMS difference from the best one as jitter", () => {
    // √((0.003² + 0.004²) / 2) = 0.003535533…
    const register = registerOf(
      { offsetSeconds: 0.013, delaySeconds: 0.02 },
      { offsetSeconds: 0.01, delaySeconds: 0.001 },
      { offsetSeconds: 0.006, delaySeconds: 0.02 },
    );
    near(estimateOf(register, 0)?.jitterSeconds, 0.003_535_533_905_932_738);
  });

  it("never knows a jitter below the precision of a clock", () => {
    assert.equal(estimateOf(registerOf({}), 0)?.jitterSeconds, leastJitterSeconds);
    assert.equal(estimateOf(registerOf({}, {}), 0)?.jitterSeconds, leastJitterSeconds);
  });

  it("leaves jitter and choice as they were after a step", () => {
    const samples = fc.array(
      fc.record({
        offsetSeconds: fc.double({ min: -1, max: 1, noNaN: true }),
        delaySeconds: fc.double({ min: 1e-6, max: 1, noNaN: true }),
        atSeconds: fc.integer({ min: 0, max: 10_000 }),
      }),
      { minLength: 1, maxLength: 12 },
    );
    fc.assert(
      fc.property(samples, fc.double({ min: -1e3, max: 1e3, noNaN: true }), (held, seconds) => {
        const register = registerOf(...held);
        const before = estimateOf(register, 10_000);
        const after = estimateOf(shiftSamples(register, seconds), 10_000);
        assert.equal(after?.atSeconds, before?.atSeconds);
        near(after?.jitterSeconds, before?.jitterSeconds ?? Number.NaN, 1e-9);
        near(after?.offsetSeconds, (before?.offsetSeconds ?? Number.NaN) - seconds, 1e-9);
      }),
    );
  });
});

describe("root distance", () => {
  it("is half of both delays, both dispersions, what drifted since, and jitter", () => {
    const register = registerOf({
      atSeconds: 100,
      delaySeconds: 0.03,
      dispersionSeconds: 0.002,
      rootDelaySeconds: 0.05,
      rootDispersionSeconds: 0.007,
    });
    const estimate = estimateOf(register, 200);
    assert.ok(estimate !== null, "there is a sample");
    // 0.05/2 + 0.03/2 + 0.007 + 0.002 + 15 ppm × 100 s + 2^-18
    near(rootDistance(estimate, 200), 0.025 + 0.015 + 0.007 + 0.002 + 0.0015 + 3.814697265625e-6);
  });
});
