import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createBriefReading } from "../../src/system/brief-reading.ts";

describe("a brief reading", () => {
  it("serves all callers for a quarter of a second, and no longer", () => {
    let now = 100;
    let figure = 0;
    const read = createBriefReading(
      () => {
        figure += 1;
        return figure;
      },
      () => now,
    );
    const at = (seconds: number): number => {
      now = 100 + seconds;
      return read();
    };
    assert.deepEqual([0, 0.2, 0.25, 0.3, 0.49, 0.5].map(at), [1, 1, 2, 2, 2, 3]);
  });
});
