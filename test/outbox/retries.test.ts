import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { retryIn } from "../../src/outbox/retries.ts";

describe("the wait for the next attempt", () => {
  it("doubles from half a minute to an hour, and is drawn from the upper half of its span", () => {
    const waits = [1, 2, 3, 6, 7, 50, 2_000].map((failures) => [retryIn(failures, 0), retryIn(failures, 1)]);
    assert.deepEqual(waits, [
      [30, 60],
      [60, 120],
      [120, 240],
      [960, 1_920],
      [1_800, 3_600],
      [1_800, 3_600],
      [1_800, 3_600],
    ]);
  });

  it("is as long as the receiver asks, up to a day, and never shorter than without that", () => {
    assert.equal(retryIn(1, 0, 7_200), 7_200);
    assert.equal(retryIn(1, 0, 30 * 86_400), 86_400);
    assert.equal(retryIn(7, 1, 5), 3_600);
  });
});
