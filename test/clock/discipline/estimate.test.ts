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

  it("takes a slew off at 500 ppm, and never more than there is of it", () => {
    const slewing = { frequency: 0, slewSeconds: 0.01 };
    near(predict(begin(), 110, slewing).offsetSeconds, 0.005, 1e-12);
    near(predict(begin(), 1_000, slewing).offsetSeconds, 0, 1e-12);
  });

  it("takes a backward slew the other way", () => {
    near(predict(begin(), 110, { frequency: 0, slewSeconds: -0.02 }).offsetSeconds, 0.015, 1e-12);
  });

  it("does not go back in time", () => {
    const same = predict(begin(50), 50, { frequency: 0, slewSeconds: 0 });
    near(same.offsetSeconds, 0.01, 1e-15);
  });

  it("finds an unknown frequency from two measurements far apart", () => {
    const still = { frequency: 0, slewSeconds: 0 };
    const later = predict(begin(), 1_100, still);
    // 80 ppm over 1000 s.
    const known = correct(later, 0.01 + 80e-6 * 1_000, 1e-4, 1_000);
    near(known.frequency * 1e6, 80, 0.5);
  });

  it("takes a jump for the clock's, not the oscillator's", () => {
    let estimate = begin(20);
    const held = { frequency: 20e-6, slewSeconds: 0 };
    for (let at = 164; at < 3_000; at += 64) estimate = correct(predict(estimate, at, held), 0.01, 1e-4, 64);
    const jumped = correct(predict(estimate, estimate.atSeconds + 64, held), 0.11, 1e-4, 64);
    near(jumped.offsetSeconds, 0.11, 1e-9);
    near(jumped.frequency, estimate.frequency, 1e-12);
  });

  it("follows an oscillator that has changed, though it takes its first sign for a jump", () => {
    let estimate = begin(20);
    const held = { frequency: 20e-6, slewSeconds: 0 };
    for (let at = 164; at < 3_000; at += 64) estimate = correct(predict(estimate, at, held), 0.01, 1e-4, 64);
    let offset = 0.01;
    for (let count = 0; count < 10; count += 1) {
      offset += 100e-6 * 64;
      estimate = correct(predict(estimate, estimate.atSeconds + 64, held), offset, 1e-4, 64);
    }
    near(estimate.frequency * 1e6, 120, 5);
  });
});
