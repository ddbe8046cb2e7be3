import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { bandPath, linePath } from "../../src/console/plot/path.ts";

/** Ten milliseconds, and figures from −10 to 10. */
const ends = { time: { low: 0, high: 10 }, axis: { low: -10, high: 10 } };

describe("the line of a plot", () => {
  it("leads from left to right, with high figures at the top", () => {
    const points = [
      { at: 0, value: 10 },
      { at: 5, value: 0 },
      { at: 10, value: -10 },
    ];
    assert.equal(linePath(points, ends), "M0.0,0.00 500.0,50.00 1000.0,100.00");
  });

  it("is interrupted by a gap, and a point between two gaps is a dot", () => {
    const points = [null, { at: 1, value: 0 }, { at: 2, value: 0 }, null, null, { at: 5, value: 5 }, null];
    assert.equal(linePath(points, ends), "M100.0,50.00 200.0,50.00M500.0,25.00h0");
    assert.equal(linePath([null], ends), "");
  });

  it("keeps to the edge for figures beyond the axis, however great they are", () => {
    const points = [
      { at: 0, value: 1e9 },
      { at: 4, value: 11 },
      { at: 10, value: -1e9 },
    ];
    assert.equal(linePath(points, ends), "M0.0,0.00 400.0,0.00 1000.0,100.00");
  });
});

describe("the band of a plot", () => {
  it("is an area between two lines, one for each part between gaps", () => {
    const bands = [
      { at: 0, low: -5, high: 5 },
      { at: 2, low: 0, high: 10 },
      null,
      { at: 10, low: -10, high: -10 },
    ];
    assert.equal(
      bandPath(bands, ends),
      "M0.0,25.00 200.0,0.00 200.0,50.00 0.0,75.00ZM1000.0,100.00 1000.0,100.00Z",
    );
  });
});
