import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createChance } from "../../lab/basics/chance.ts";
import { slopeOf } from "../../lab/soak/slope.ts";

/** Hours as seconds, so that the figures below are those of the example. */
const readings = (values: readonly (readonly [number, number])[]) =>
  values.map(([hours, value]) => ({ atSeconds: hours * 3_600, value }));

describe("the slope that make soak judges memory by", () => {
  it("and its confidence are those of a calculation by hand", () => {
    // x 1…5, y 2 4 5 4 5: Sxx 10, Sxy 6, slope 0.6, residual 2.4, error √(2.4/3/10) = 0.2828, t(3) 3.182.
    const { perHour, plusMinus, last } = slopeOf(
      readings([
        [1, 2],
        [2, 4],
        [3, 5],
        [4, 4],
        [5, 5],
      ]),
    );
    assert.ok(Math.abs(perHour - 0.6) < 1e-9, String(perHour));
    assert.ok(Math.abs(plusMinus - 0.9) < 1e-3, String(plusMinus));
    assert.ok(Math.abs(last - 5.2) < 1e-9, String(last));
  });

  it("of a leak under the noise of a heap is certain, and of the noise alone is not", () => {
    const chance = createChance(3);
    const noisy = (leakPerHour: number) =>
      slopeOf(
        Array.from({ length: 400 }, (_, second) => ({
          atSeconds: second,
          value: 100 + (leakPerHour * second) / 3_600 + chance.normal(),
        })),
      );
    const [leaking, steady] = [noisy(30), noisy(0)];
    assert.ok(leaking.perHour - leaking.plusMinus > 6, JSON.stringify(leaking));
    assert.ok(Math.abs(leaking.perHour - 30) <= leaking.plusMinus, JSON.stringify(leaking));
    assert.ok(steady.perHour - steady.plusMinus <= 6, JSON.stringify(steady));
  });

  it("takes three readings", () => {
    assert.throws(
      () =>
        slopeOf(
          readings([
            [1, 1],
            [2, 2],
          ]),
        ),
      RangeError,
    );
  });
});
