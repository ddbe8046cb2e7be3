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

const far = [source("selected", 600, 0.01), source("candidate", 600.005, 0.01)];

for (const { name, sources, range, agreed } of [
  // Lowest end −0.001 − 0.006, highest 0.002 + 0.008; greatest low end 0.003 − 0.002, least high end 0.003 + 0.002.
  { name: "three that vote and a far one", sources: four, range: [-0.007, 0.01], agreed: [0.001, 0.005] },
  // 0.02 + 0.001 makes a span of 0.028, and 2.5 × 0.017 are 0.0425.
  {
    name: "a false one within two and a half times the span",
    sources: [...four.slice(0, 3), source("falseticker", 0.02, 0.001)],
    range: [-0.007, 0.021],
    agreed: [0.001, 0.005],
  },
  {
    name: "this host's zero far from all",
    sources: far,
    range: [599.99, 600.015],
    agreed: [599.995, 600.01],
  },
  {
    name: "none that votes: the range of all, and no agreement",
    sources: [source("suspect", 1, 0.5), source("falseticker", -2, 0.5)],
    range: [-2.5, 1.5],
    agreed: null,
  },
  { name: "no answer", sources: [source("unreachable", null, null)], range: null, agreed: null },
  {
    name: "an outlier: what was made of them",
    sources: [source("selected", 0, 0.001), source("outlier", 0.004, 0.001)],
    range: [-0.001, 0.005],
    agreed: [-0.003, 0.007],
  },
  {
    name: "none chosen",
    sources: [source("candidate", 0, 0.001), source("candidate", 0.001, 0.001)],
    range: [-0.001, 0.002],
    agreed: null,
  },
  {
    name: "one alone, near zero",
    sources: [source("selected", 0.003, 0.002)],
    range: [0, 0.005],
    agreed: [0.001, 0.005],
  },
])
  it(`the range of the picture and the agreed interval of ${name}`, () => {
    const figures = { offset_seconds: 0.002, uncertainty_seconds: 0.005 };
    const ends = (area: { low: number; high: number } | null) => area && [area.low, area.high];
    const found = [ends(rangeOfSources(sources)), ends(agreedRange({ sources, ...figures }))];
    assert.deepEqual(rounded(found), [range, agreed]);
  });

it("no range is needed where nothing votes", () => {
  assert.equal(neededRange([], [{ low: 0, high: 0 }]), null);
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
