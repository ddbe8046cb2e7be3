import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { combine, type SelectedSource } from "../../../src/clock/ntp/combine.ts";
import type { Sample } from "../../../src/clock/ntp/sample.ts";
import { addSample, emptyRegister, estimateOf } from "../../../src/clock/ntp/sample-filter.ts";
import { sampleWith } from "../samples.ts";

const never = Number.NEGATIVE_INFINITY;

/** The newest sample last. */
function source(...samples: Partial<Sample>[]): SelectedSource {
  const register = samples.map(sampleWith).reduce(addSample, emptyRegister);
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

function near(actual: number, expected: number, tolerance: number): void {
  assert.ok(Math.abs(actual - expected) <= tolerance, `${actual}, not ${expected}`);
}

describe("the samples of several servers together", () => {
  it("count once: only those after the last measurement", () => {
    const one = source({ atSeconds: 0, offsetSeconds: 0.01 }, { atSeconds: 64, offsetSeconds: 0.002 });
    const { offsetSeconds, atSeconds } = combine([one], { sinceSeconds: 0, agreedSeconds: 0 });
    near(offsetSeconds, 0.002, 1e-12);
    assert.equal(atSeconds, 64);
  });

  it("are each source's best one where none is new", () => {
    const one = source(
      { atSeconds: 0, offsetSeconds: 0.001, delaySeconds: 0.001 },
      { atSeconds: 64, offsetSeconds: 0.005, delaySeconds: 0.02 },
    );
    const { offsetSeconds, atSeconds } = combine([one], { sinceSeconds: 64, agreedSeconds: 0.001 });
    near(offsetSeconds, 0.001, 1e-12);
    assert.equal(atSeconds, 0);
  });

  it("weigh by their delays, so that a packet that waited hardly moves the mean", () => {
    const late = { delaySeconds: 0.011, offsetSeconds: 0.005 };
    const sources = [steady({}), steady({}), steady(late)];
    const { offsetSeconds, noiseSeconds, usualNoiseSeconds } = combine(sources, {
      sinceSeconds: 360,
      agreedSeconds: 0,
    });
    // A wait of 10 ms is a noise of 2.8 ms, that of the two others 4 µs.
    near(offsetSeconds, 0, 1e-6);
    assert.ok(noiseSeconds < 2 * usualNoiseSeconds, `${noiseSeconds} of usually ${usualNoiseSeconds}`);
  });

  it("are as noisy as a late one where no other came", () => {
    const late = steady({ delaySeconds: 0.011, offsetSeconds: 0.005 });
    const { noiseSeconds, usualNoiseSeconds } = combine([late], { sinceSeconds: 360, agreedSeconds: 0 });
    near(noiseSeconds, 0.0028, 1e-4);
    assert.ok(usualNoiseSeconds < 1e-5);
  });

  it("weigh less where their server is farther from the time that was agreed on", () => {
    const sources = [steady({}, 0.001), steady({}, 0.001), steady({}, -0.002)];
    const { offsetSeconds, scatterSeconds } = combine(sources, { sinceSeconds: never, agreedSeconds: 0 });
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
