import assert from "node:assert/strict";
import { it } from "node:test";
import { createChance } from "../../lab/basics/chance.ts";
import { growthOf } from "../../lab/soak/growth.ts";

it("the growth that make soak judges memory by is that of a leak under the noise of a heap, and not of the noise", () => {
  const { exponential } = createChance(3);
  const growth = (of: (hours: number) => number) =>
    growthOf(
      Array.from({ length: 216 }, (_, index) => ({
        ...{ atSeconds: 5 * index, value: 100 + of(index / 720) + exponential() },
      })),
    );
  const leaking = growth((hours) => 30 * hours);
  assert.ok(leaking > 25 && leaking < 31, String(leaking));
  assert.ok(growth(() => 0) < 1);
  // A cache that fills up once.
  assert.ok(growth((hours) => (hours > 0.15 ? 20 : 0)) < 1);
});
