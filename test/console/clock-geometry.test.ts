import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { axisFor } from "../../src/console/plot/axis.ts";
import { agreedRange } from "../../src/console/system/clock/sources-picture.tsx";
import { neededRange, placeOf, rangeOfSources } from "../../src/contract/clock/source-intervals.ts";
import type { TimeSource } from "../../src/contract/types.ts";

const source = (
  state: TimeSource["state"],
  offset: number | null,
  uncertainty: number | null,
): TimeSource => ({
  id: `${state} ${offset}`,
  host: "192.0.2.1",
  address: null,
  ...{ nts: false, authenticated: false },
  state,
  reason: null,
  offset_seconds: offset,
  uncertainty_seconds: uncertainty,
  delay_seconds: null,
  jitter_seconds: null,
  stratum: null,
  reach: null,
});

/** Rounded to nanoseconds, so that numbers that are not exact in binary can be written down. */
const rounded = <T extends object>(given: T): T =>
  JSON.parse(JSON.stringify(given), (_, value) =>
    typeof value === "number" ? Math.round(value * 1e9) / 1e9 || 0 : value,
  );

/** The console's picture (RFC 5905 §11.2.1 has the intervals): one chosen, two that agree, one three seconds off. */
const four = [
  source("selected", 0.002, 0.008),
  source("candidate", -0.001, 0.006),
  source("candidate", 0.003, 0.002),
  source("falseticker", 3, 0.01),
];

describe("the range that the picture of the sources needs", () => {
  it("spans those that vote, with this host's zero, and leaves the far one out", () => {
    // Lowest end −0.001 − 0.006, highest 0.002 + 0.008.
    assert.deepEqual(rounded(rangeOfSources(four) ?? {}), { low: -0.007, high: 0.01 });
  });
  it("takes in a false one that is near: within two and a half times the span", () => {
    // 0.02 + 0.001 makes a span of 0.028, and 2.5 × 0.017 are 0.0425.
    const near = [...four.slice(0, 3), source("falseticker", 0.02, 0.001)];
    assert.deepEqual(rounded(rangeOfSources(near) ?? {}), { low: -0.007, high: 0.021 });
  });
  it("leaves this host's zero out where it is far from all of them", () => {
    const far = [source("selected", 600, 0.01), source("candidate", 600.005, 0.01)];
    assert.deepEqual(rounded(rangeOfSources(far) ?? {}), { low: 599.99, high: 600.015 });
  });
  it("is that of all where no source votes", () => {
    const split = [source("suspect", 1, 0.5), source("falseticker", -2, 0.5)];
    assert.deepEqual(rangeOfSources(split), { low: -2.5, high: 1.5 });
  });
  it("is none where no source has answered", () => {
    assert.equal(rangeOfSources([source("unreachable", null, null)]), null);
    assert.equal(neededRange([], [{ low: 0, high: 0 }]), null);
  });
});

describe("the interval that the sources agree on", () => {
  const figures = { offset_seconds: 0.002, uncertainty_seconds: 0.005 };
  it("is where those that vote overlap", () => {
    // Greatest low end 0.003 − 0.002, least high end 0.003 + 0.002; the false one has no say.
    assert.deepEqual(rounded(agreedRange({ sources: four, ...figures }) ?? {}), { low: 0.001, high: 0.005 });
  });
  it("is what was made of them where not all of them overlap", () => {
    const sources = [source("selected", 0, 0.001), source("outlier", 0.004, 0.001)];
    assert.deepEqual(rounded(agreedRange({ sources, ...figures }) ?? {}), { low: -0.003, high: 0.007 });
  });
  it("is none where no source is chosen", () => {
    const sources = [source("candidate", 0, 0.001), source("candidate", 1, 0.001)];
    assert.equal(agreedRange({ sources, ...figures }), null);
  });
  it("is that of the one source where there is one", () => {
    const sources = [source("selected", 0.01, 0.002)];
    assert.deepEqual(rounded(agreedRange({ sources, ...figures }) ?? {}), { low: 0.008, high: 0.012 });
  });
});

describe("an axis", () => {
  it("has round ends with room beyond the range", () => {
    // ±15 ms with 4 % of 30 ms at each end are ±16.2; a quarter of 32.4 is 8.1, so steps of 10.
    assert.deepEqual(rounded(axisFor({ low: -0.015, high: 0.015 })), { low: -0.02, high: 0.02, step: 0.01 });
  });
  it("need not have zero in it", () => {
    // 599.989 to 600.016 with its margin; a quarter of 0.027 is 0.00675.
    assert.deepEqual(rounded(axisFor({ low: 599.99, high: 600.015 })), {
      low: 599.98,
      high: 600.02,
      step: 0.01,
    });
  });
  it("has a width where the range has none", () => {
    const { low, high } = axisFor({ low: 0, high: 0 });
    assert.ok(low < 0 && high > 0, `${low} to ${high}`);
    const far = axisFor({ low: 1e9, high: 1e9 });
    assert.ok(far.low < 1e9 && far.high > 1e9, `${far.low} to ${far.high}`);
  });
});

describe("the place of an offset", () => {
  it("is a share of the axis", () => {
    assert.equal(placeOf({ low: -1, high: 3 }, 0), 0.25);
  });
});
