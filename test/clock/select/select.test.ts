import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { type Agreement, type Selection, select, uncertaintyOf } from "../../../src/clock/select/select.ts";
import type { Candidate } from "../../../src/clock/select/select-intersection.ts";

/** Candidates as the tables name them: `id offset±distance`, in milliseconds, with `~jitter` and `@stratum` besides. */
function candidates(text: string): Candidate[] {
  return text.split(", ").map((one) => {
    const [, id = "", ...figures] =
      /^(\S+) (-?[\d.e-]+)±([\d.]+)(?:~([\d.]+))?(?:@(\d+))?$/.exec(one) ?? assert.fail(one);
    const [offset = 0, distance = 0, jitter = 0.1, stratum = 2] = figures.map(
      (figure) => figure && Number(figure),
    );
    return {
      id,
      offsetSeconds: Number(offset) / 1_000,
      rootDistanceSeconds: Number(distance) / 1_000,
      jitterSeconds: Number(jitter) / 1_000,
      stratum: Number(stratum),
    };
  });
}

const mirrored = (all: readonly Candidate[]) =>
  all.map((one) => ({ ...one, offsetSeconds: 0 - one.offsetSeconds }));

/** `survivors | outliers | falsetickers | low to high` (milliseconds), or why there is no agreement. */
function sentence(selection: Selection): string {
  if (selection.kind === "agreed") {
    const { survivors, outliers, falsetickers, low, high } = selection;
    const [from, to] = [low, high].map((edge) => Math.round(edge * 1e7) / 1e4 + 0);
    return `${[survivors, outliers, falsetickers].map((ids) => ids.join(" ") || "-").join(" | ")} | ${from} to ${to}`;
  }
  if (selection.kind === "no_majority") return `no majority: ${selection.disagreeing.join(" ")}`;
  if (selection.kind === "none") return "none";
  const { agreeing, needed, falsetickers } = selection;
  return `${agreeing.join(" ")} of ${needed} | ${falsetickers.join(" ") || "-"}`;
}

const mirroredSentence = (text: string) =>
  text.replace(/(\S+) to (\S+)$/, (_, from, to) => `${0 - Number(to)} to ${0 - Number(from)}`);

function agreement(text: string, minAgreeing = 2): Agreement {
  const selection = select(candidates(text), { minAgreeing });
  return selection.kind === "agreed" ? selection : assert.fail(selection.kind);
}

function near(actual: number, expected: number, tolerance = 1e-12): void {
  assert.ok(Math.abs(actual - expected) <= tolerance, `${actual}, not ${expected}`);
}

const good = "a 1±10, b 2±20, c -1±15";
const liar = "liar 3000±10";

describe("select", () => {
  const rows: readonly (readonly [
    name: string,
    candidates: string,
    expected: string,
    minAgreeing?: number,
  ])[] = [
    // [−9, 11], [−18, 22] and [−16, 14] have [−9, 11] in common.
    ["one false of four", `${good}, ${liar}`, "a c b | - | liar | -9 to 11"],
    ["one false of three", `a 0±10, b 1±10, ${liar}`, "a b | - | liar | -9 to 10"],
    ["two that agree", "a 0±10, b 5±10", "a b | - | - | -5 to 10"],
    ["two that disagree", `a 0±10, ${liar}`, "no majority: a liar", 1],
    ["three that disagree", "a 0±100, b 1000±100, c 2000±100", "no majority: a b c", 1],
    ["two pairs", "a 0±100, b 0±100, c 2000±100, d 2000±100", "no majority: a b c d", 1],
    // A false source with no other beside it is never caught out.
    ["a single one where two must agree", liar, "liar of 2 | -", 2],
    ["a single one where one is enough", "a 250±125", "a | - | - | 125 to 375", 1],
    ["truechimers are counted, not candidates", `a 0±10, b 1±10, ${liar}`, "a b of 3 | liar", 3],
    ["identical intervals", "b 500±250, a 500±250", "a b | - | - | 250 to 750"],
    // RFC 5905 §11.2.1: l < u.
    ["two that only touch", "a 0±500, b 1000±500", "no majority: a b", 1],
    // Powers of two, so that both edges are the same number: 2^-10 s.
    ["near ones that only touch", "a 0±0.9765625, b 1.953125±0.9765625", "no majority: a b", 1],
    // [0, 1], [1, 3] and [2, 4]: of two of three the first common point is 1 and the last is 3 (RFC 5905 §11.2.1).
    ["one of three that only touches", "a 500±500, b 2000±1000, c 3000±1000", "b c | - | a | 1000 to 3000"],
    // All three have 0 to 247.5 in common; two of them would have 0 to 500.
    ["a middle 2.5 ms outside", "a 250±250, b 250±250, c -2.5±250", "a b c | - | - | 0 to 247.5"],
    ["a middle 2.6 ms outside", "a 250±250, b 250±250, c -2.6±250", "a b c | - | - | 0 to 500"],
    ["nested intervals", "far 0±1000, near 0±250", "near far | - | - | -250 to 250"],
    ["a far one whose middle is outside", "a 0±1, b 0±1, far 20±30", "a b far | - | - | -1 to 1"],
    // The truth is 0, and in each interval; no middle is in what they have in common.
    ["delayed", `a -0.05±0.052, b 0.04±0.043, c -0.045±0.06, ${liar}`, "b a c | - | liar | -0.003 to 0.002"],
    ["a wide one that only grazes", "narrow 0±1000, wide 25900±25000", "no majority: narrow wide", 1],
    [
      "three liars of eight that agree",
      `l1 -1e5±10, l2 -1e5±10, l3 -1e5±10, ${[1, 2, 3, 4, 5].map((n) => `g${n} ${n}±10~3`).join(", ")}`,
      "g1 g2 g3 g4 g5 | - | l1 l2 l3 | -5 to 11",
    ],
    // s4 is 9 ms off. Then s3: RMS of 0.2, 0.1, 0.3 ms is 0.216 ms, above the jitter of 0.1 ms; then three are left.
    [
      "those that scatter most are cut, down to three (RFC 5905 §11.2.2)",
      "s0 0±10, s1 0.1±10, s2 -0.1±10, s3 0.2±10, s4 9±10",
      "s0 s1 s2 | s4 s3 | - | -1 to 9.9",
    ],
    ["the best one is cut as well", "s0 9±10, s1 0±10, s2 0.1±10, s3 0.2±10", "s1 s2 s3 | s0 | - | -1 to 10"],
    ["none is cut", "s0 0±10~1, s1 0.1±10~1, s2 -0.1±10~1, s3 0.2±10~1", "s0 s1 s2 s3 | - | - | -9.8 to 9.9"],
    ["steadiest", "s0 0±10, s1 0.1±10~100, s2 -0.1±10~100, s3 0.9±10~100", "s0 s1 s2 | s3 | - | -9.1 to 9.9"],
    ["none without jitter", "a 0±10~0, b 0±10~0, c 0±10~0, d 0±10~0", "a b c d | - | - | -10 to 10"],
    ["the lower stratum leads", "a 0±10@3, b 0±500@1", "b a | - | - | -10 to 10"],
    ["then the shorter distance", "a 0±20, b 0±10", "b a | - | - | -10 to 10"],
    // 1 × 1.5 + 1 is less than 2 × 1.5 + 0.1.
    ["a stratum is 1.5 s of distance", "a 0±100, b 0±1000@1", "b a | - | - | -100 to 100"],
  ];
  for (const [name, text, expected, minAgreeing = 2] of rows)
    it(`${name}: ${expected}`, () => {
      const all = candidates(text);
      for (const one of [all, all.toReversed()]) {
        assert.equal(sentence(select(one, { minAgreeing })), expected);
        assert.equal(
          sentence(select(mirrored(one), { minAgreeing })),
          mirroredSentence(expected),
          "mirrored",
        );
      }
    });

  it("says nothing without candidates", () => {
    assert.deepEqual(select([], { minAgreeing: 1 }), { kind: "none" });
  });

  it("takes the mean weighted by 1 / root distance, and is as uncertain as the interval is wide on its wider side", () => {
    // (0.001 × 100 + 0.002 × 50 − 0.001 × 66.666…) / 216.666… = 0.000615384…, and 0.011 less that
    const result = agreement(`${good}, ${liar}`);
    near(result.offsetSeconds, 0.000_615_384_615_384_615);
    near(uncertaintyOf(result, result.offsetSeconds), 0.010_384_615_384_615);
    near(uncertaintyOf(result, 0.002), 0.011);
  });

  it("joins the scatter around the peer with the peer's own jitter", () => {
    // √((0.001² + 0.002²) / 2) = 0.00158113…; with 0.0001: 0.00158429…
    near(agreement(`${good}, ${liar}`).jitterSeconds, Math.sqrt(2.5e-6 + 1e-8));
    near(agreement("a 0±10, b 3±20").jitterSeconds, Math.sqrt(0.003 ** 2 + 0.000_1 ** 2));
    assert.equal(agreement("a 250±125", 1).jitterSeconds, 0.000_1);
  });
});

const anyCandidates = fc
  .array(
    fc.record({
      offsetSeconds: fc.oneof(
        fc.double({ min: -0.05, max: 0.05, noNaN: true }),
        fc.double({ min: -1e6, max: 1e6, noNaN: true }),
        fc.integer({ min: -3, max: 3 }),
      ),
      rootDistanceSeconds: fc.oneof(fc.double({ min: 1e-6, max: 1.5, noNaN: true }), fc.constant(1)),
      jitterSeconds: fc.double({ min: 1e-6, max: 0.1, noNaN: true }),
      stratum: fc.integer({ min: 1, max: 15 }),
    }),
    { minLength: 1, maxLength: 10 },
  )
  .map((all) => all.map((one, n): Candidate => ({ id: `s${n}`, ...one })));

/** Seconds that a middle may lie outside the agreed interval: half of RFC 5905's MINDISP. */
const tolerance = 0.0025;

describe("select, whatever the sources say", () => {
  it("names each once, combines those that a majority bounds, and does not depend on their order", () => {
    const property = fc.property(anyCandidates, (all) => {
      const result = select(all, { minAgreeing: 1 });
      assert.deepEqual(select(all.toReversed(), { minAgreeing: 1 }), result);
      fc.pre(result.kind === "agreed");
      const { survivors, outliers, falsetickers, low, high, offsetSeconds } = result;
      assert.deepEqual([...survivors, ...outliers, ...falsetickers].sort(), all.map(({ id }) => id).sort());
      const combined = all.filter(({ id }) => survivors.includes(id));
      for (const { id, offsetSeconds: middle, rootDistanceSeconds: distance } of combined)
        assert.ok(middle - distance < high && middle + distance > low, `${id} misses the interval`);
      const within = all.filter(
        (one) => Math.max(low - one.offsetSeconds, one.offsetSeconds - high) <= tolerance,
      );
      assert.ok(2 * within.length > all.length, `${within.length} of ${all.length}`);
      const middles = combined.map((one) => one.offsetSeconds);
      const slack = tolerance + 1e-9;
      assert.ok(
        offsetSeconds >= Math.min(...middles) - slack && offsetSeconds <= Math.max(...middles) + slack,
      );
      assert.ok(offsetSeconds >= low && offsetSeconds <= high, "not agreed on");
    });
    // Four of five drawn agree: where hardly any do, it says so at once, and not after 100,000 draws.
    fc.assert(property, { numRuns: 2_000, maxSkipsPerRun: 2 });
  });

  it("bounds the truth as long as more than half of the sources hold it in the middle of what they say", () => {
    // The truth is an offset of 0; each honest interval holds it, and its middle is within every honest interval.
    const honest = fc.array(fc.double({ min: -10, max: 10, noNaN: true }), { minLength: 4, maxLength: 7 });
    const lies = fc.array(fc.double({ min: -2_000, max: 2_000, noNaN: true }), { maxLength: 3 });
    const distances = fc.double({ min: 20, max: 500, noNaN: true });
    const property = fc.property(honest, lies, distances, (middles, lying, distance) => {
      const all = [...middles, ...lying].map(
        (offset, n) => `s${n} ${offset.toFixed(6)}±${distance.toFixed(6)}`,
      );
      const result = agreement(all.join(", "), 1);
      assert.ok(Math.abs(result.offsetSeconds) <= uncertaintyOf(result, result.offsetSeconds));
    });
    fc.assert(property, { numRuns: 1_000 });
  });
});
