import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { combine, type SelectedSource } from "../../../src/clock/ntp/combine.ts";
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

  it("says nothing without a sample, and never knows a jitter below the precision of a clock", () => {
    assert.equal(estimateOf(emptyRegister, 0), null);
    for (const register of [registerOf({}), registerOf({}, {})])
      assert.equal(estimateOf(register, 0)?.jitterSeconds, leastJitterSeconds);
  });
});

it("root distance is half of both delays, both dispersions, what drifted since, and jitter", () => {
  const root = { rootDelaySeconds: 0.05, rootDispersionSeconds: 0.007 };
  const register = registerOf({ atSeconds: 100, delaySeconds: 0.03, dispersionSeconds: 0.002, ...root });
  const estimate = estimateOf(register, 200) ?? assert.fail("there is no sample");
  // 0.05/2 + 0.03/2 + 0.007 + 0.002 + 15 ppm × 100 s + 2^-18
  near(rootDistance(estimate, 200), 0.025 + 0.015 + 0.007 + 0.002 + 0.0015 + 3.814697265625e-6);
});

/** The newest sample last. */
function source(...samples: Partial<Sample>[]): SelectedSource {
  const register = registerOf(...samples);
  const estimate = estimateOf(register, register[0]?.atSeconds ?? 0);
  assert.ok(estimate);
  return { register, estimate };
}

/** Eight undisturbed samples, a minute apart, which say that the clock is right, with changes to the newest. */
const steady = (newest: Partial<Sample>, offsetSeconds = 0): SelectedSource =>
  source(
    ...Array.from({ length: 8 }, (_, index) => ({
      atSeconds: index * 60,
      offsetSeconds,
      delaySeconds: 0.001 + index * 1e-6,
      ...(index === 7 && newest),
    })),
  );

describe("the samples of several servers together", () => {
  // 1 ms when nothing was new yet, then 5 ms by a slower one.
  const two = source({ offsetSeconds: 0.001 }, { atSeconds: 64, offsetSeconds: 0.005, delaySeconds: 0.02 });
  for (const [what, sinceSeconds, offset, at] of [
    ["count once: only those after the last measurement", 0, 0.005, 64],
    ["are each source's best one where none is new", 64, 0.001, 0],
  ] as const)
    it(what, () => {
      const { offsetSeconds, atSeconds } = combine([two], { sinceSeconds, agreedSeconds: 0.001 });
      near(offsetSeconds, offset, 1e-12);
      assert.equal(atSeconds, at);
    });

  it("are as noisy as a late one where no other came", () => {
    const late = steady({ delaySeconds: 0.011, offsetSeconds: 0.005 });
    const { noiseSeconds, usualNoiseSeconds } = combine([late], { sinceSeconds: 360, agreedSeconds: 0 });
    near(noiseSeconds, 0.0028, 1e-4);
    assert.ok(usualNoiseSeconds < 1e-5);
  });

  it("weigh less where their server is farther from the time that was agreed on", () => {
    const sources = [steady({}, 0.001), steady({}, 0.001), steady({}, -0.002)];
    const { offsetSeconds, scatterSeconds } = combine(sources, {
      sinceSeconds: Number.NEGATIVE_INFINITY,
      agreedSeconds: 0,
    });
    // Weights of 1/1, 1/1 and 1/4 by the squares of 1 ms and 2 ms: (1 + 1 − 0.5) / 2.25.
    near(offsetSeconds, 0.000_667, 2e-6);
    near(scatterSeconds, 0.001_155, 2e-6);
  });

  it("wander little between two servers with errors of their own when one is late", () => {
    const late = steady({ delaySeconds: 0.003, offsetSeconds: 0.005 }, 0.005);
    const sources = [late, steady({}, -0.005)];
    // Half a millisecond of noise against 5 ms that both are off the agreed time.
    near(combine(sources, { sinceSeconds: 360, agreedSeconds: 0 }).offsetSeconds, 0, 0.000_1);
  });
});
