import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { beginEstimate, correct, predict } from "../../../src/clock/discipline/estimate.ts";

const begin = (storedPpm: number | null = null) =>
  beginEstimate({ atSeconds: 100, offsetSeconds: 0.01, noiseSeconds: 1e-4 }, storedPpm);

function near(actual: number, expected: number, tolerance: number): void {
  assert.ok(Math.abs(actual - expected) <= tolerance, `${actual}, not ${expected} ± ${tolerance}`);
}

describe("the estimate of a clock", () => {
  it("drifts with the oscillator, less what the kernel makes up for", () => {
    // 50 ppm slow, 20 made up for: 30 µs a second are lost.
    const later = predict(begin(50), 200, { frequency: 20e-6, slewSeconds: 0 });
    near(later.offsetSeconds, 0.01 + 30e-6 * 100, 1e-12);
  });

  it("takes a slew off at 500 ppm either way, never more than there is of it, and does not go back in time", () => {
    for (const [at, slewSeconds, offsetSeconds] of [
      [110, 0.01, 0.005],
      [1_000, 0.01, 0],
      [110, -0.02, 0.015],
      [50, 0, 0.01],
    ] as const)
      near(predict(begin(), at, { frequency: 0, slewSeconds }).offsetSeconds, offsetSeconds, 1e-12);
    near(predict(begin(50), 50, { frequency: 0, slewSeconds: 0 }).offsetSeconds, 0.01, 1e-15);
  });

  it("finds an unknown frequency from two measurements far apart", () => {
    const still = { frequency: 0, slewSeconds: 0 };
    const later = predict(begin(), 1_100, still);
    // 80 ppm over 1000 s.
    const known = correct(later, 0.01 + 80e-6 * 1_000, 1e-4, 1_000);
    near(known.frequency * 1e6, 80, 0.5);
  });

  /** Many measurements of an oscillator of 20 ppm, which the kernel makes up for. */
  const held = { frequency: 20e-6, slewSeconds: 0 };
  const settled = () => {
    let estimate = begin(20);
    for (let at = 164; at < 3_000; at += 64) estimate = correct(predict(estimate, at, held), 0.01, 1e-4, 64);
    return estimate;
  };
  const next = (estimate: ReturnType<typeof begin>, offsetSeconds: number) =>
    correct(predict(estimate, estimate.atSeconds + 64, held), offsetSeconds, 1e-4, 64);

  it("takes a jump for the clock's, not the oscillator's", () => {
    const estimate = settled();
    const jumped = next(estimate, 0.11);
    near(jumped.offsetSeconds, 0.11, 1e-9);
    near(jumped.frequency, estimate.frequency, 1e-12);
  });

  it("follows an oscillator that has changed, though it takes its first sign for a jump", () => {
    let estimate = settled();
    for (let count = 1; count <= 10; count += 1) estimate = next(estimate, 0.01 + count * 100e-6 * 64);
    near(estimate.frequency * 1e6, 120, 5);
  });
});
