import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { Candidate } from "../../../src/clock/select/candidate.ts";
import { type Agreement, type Selection, select, uncertaintyOf } from "../../../src/clock/select/select.ts";

/** A candidate at stratum 2; offset and root distance in seconds. */
function candidate(id: string, offsetSeconds: number, rootDistanceSeconds: number, rest = {}): Candidate {
  return { id, offsetSeconds, rootDistanceSeconds, jitterSeconds: 0.000_1, stratum: 2, ...rest };
}

function agreement(selection: Selection): Agreement {
  assert.equal(selection.kind, "agreed");
  assert.ok(selection.kind === "agreed", "the line above has said so");
  return selection;
}

function agreed(candidates: readonly Candidate[], minAgreeing = 2): Agreement {
  return agreement(select(candidates, { minAgreeing }));
}

function near(actual: number, expected: number, tolerance = 1e-12): void {
  assert.ok(Math.abs(actual - expected) <= tolerance, `${actual}, not ${expected}`);
}

const good = [candidate("a", 0.001, 0.01), candidate("b", 0.002, 0.02), candidate("c", -0.001, 0.015)];
const liar = candidate("liar", 3, 0.01);

describe("select", () => {
  it("has nothing to say without candidates", () => {
    assert.deepEqual(select([], { minAgreeing: 1 }), { kind: "none" });
  });

  describe("when one of four sources is a falseticker", () => {
    it("excludes it and keeps the other three", () => {
      const result = agreed([...good, liar]);
      assert.deepEqual(result.falsetickers, ["liar"]);
      assert.deepEqual(result.survivors, ["a", "c", "b"]);
      assert.deepEqual(result.outliers, []);
    });

    it("agrees on the points that the three have in common", () => {
      // [−0.009, 0.011], [−0.018, 0.022] and [−0.016, 0.014] have [−0.009, 0.011] in common.
      const { low, high } = agreed([...good, liar]);
      near(low, -0.009);
      near(high, 0.011);
    });

    it("takes the mean of the three, weighted by 1 / root distance", () => {
      // (0.001 × 100 + 0.002 × 50 − 0.001 × 66.666…) / 216.666… = 0.000615384…
      near(agreed([...good, liar]).offsetSeconds, 0.000_615_384_615_384_615);
    });

    it("is as uncertain as the agreed interval is wide on its wider side", () => {
      // 0.011 − 0.000615384… = 0.010384615…; on the other side it is 0.009615384…
      const result = agreed([...good, liar]);
      near(uncertaintyOf(result, result.offsetSeconds), 0.010_384_615_384_615);
    });

    it("is as uncertain when everything is the other way round", () => {
      const mirrored = [...good, liar].map((one) => ({ ...one, offsetSeconds: -one.offsetSeconds }));
      const result = agreed(mirrored);
      near(result.offsetSeconds, -0.000_615_384_615_384_615);
      near(uncertaintyOf(result, result.offsetSeconds), 0.010_384_615_384_615);
    });

    it("joins the scatter around the peer with the peer's own jitter", () => {
      // √((0.001² + 0.002²) / 2) = 0.00158113…; with 0.0001: 0.00158429…
      near(agreed([...good, liar]).jitterSeconds, Math.sqrt(2.5e-6 + 1e-8));
    });
  });

  describe("when one of three sources is a falseticker", () => {
    it("excludes it", () => {
      const result = agreed([candidate("a", 0, 0.01), candidate("b", 0.001, 0.01), liar]);
      assert.deepEqual(result.falsetickers, ["liar"]);
      assert.deepEqual(result.survivors, ["a", "b"]);
    });
  });

  describe("when two sources disagree", () => {
    it("finds no majority", () => {
      const result = select([candidate("a", 0, 0.01), liar], { minAgreeing: 1 });
      assert.deepEqual(result, { kind: "no_majority", disagreeing: ["a", "liar"] });
    });
  });

  describe("when two sources agree", () => {
    it("believes them", () => {
      assert.deepEqual(agreed([candidate("a", 0, 0.01), candidate("b", 0.005, 0.01)]).survivors, ["a", "b"]);
    });
  });

  it("joins the distance of two from each other with the peer's own jitter", () => {
    const { jitterSeconds } = agreed([candidate("a", 0, 0.01), candidate("b", 0.003, 0.02)]);
    near(jitterSeconds, Math.sqrt(0.003 ** 2 + 0.000_1 ** 2));
  });

  describe("when a source is alone", () => {
    it("is refused where two have to agree, however good it looks: a false source alone is never caught out", () => {
      assert.deepEqual(select([liar], { minAgreeing: 2 }), {
        kind: "too_few",
        agreeing: ["liar"],
        needed: 2,
        falsetickers: [],
      });
    });

    it("is believed where one is enough, with its own offset and root distance", () => {
      const result = agreed([candidate("a", 0.25, 0.125)], 1);
      assert.deepEqual([result.low, result.high], [0.125, 0.375]);
      assert.equal(result.offsetSeconds, 0.25);
      assert.equal(uncertaintyOf(result, result.offsetSeconds), 0.125);
      assert.equal(result.jitterSeconds, 0.000_1);
      assert.equal(result.survivors[0], "a");
    });
  });

  it("counts truechimers, not candidates, against what has to agree", () => {
    const result = select([candidate("a", 0, 0.01), candidate("b", 0.001, 0.01), liar], { minAgreeing: 3 });
    assert.deepEqual(result, { kind: "too_few", agreeing: ["a", "b"], needed: 3, falsetickers: ["liar"] });
  });

  it("finds no majority among three that all disagree", () => {
    const three = [candidate("a", 0, 0.1), candidate("b", 1, 0.1), candidate("c", 2, 0.1)];
    assert.equal(select(three, { minAgreeing: 1 }).kind, "no_majority");
  });

  it("finds no majority among two pairs", () => {
    const pairs = [
      candidate("a", 0, 0.1),
      candidate("b", 0, 0.1),
      candidate("c", 2, 0.1),
      candidate("d", 2, 0.1),
    ];
    assert.equal(select(pairs, { minAgreeing: 1 }).kind, "no_majority");
  });

  it("agrees on the whole of identical intervals", () => {
    const { low, high, survivors } = agreed([candidate("b", 0.5, 0.25), candidate("a", 0.5, 0.25)]);
    assert.deepEqual([low, high], [0.25, 0.75]);
    assert.deepEqual(survivors, ["a", "b"]);
  });

  it("does not take intervals that only touch as agreeing (RFC 5905 §11.2.1: l < u)", () => {
    const touching = [candidate("a", 0, 0.5), candidate("b", 1, 0.5)];
    assert.equal(select(touching, { minAgreeing: 1 }).kind, "no_majority");
  });

  it("nor those of near servers, whose middles are not far from where they touch", () => {
    // Powers of two, so that both edges are the same number: 2^-10.
    const touching = [candidate("a", 0, 2 ** -10), candidate("b", 2 ** -9, 2 ** -10)];
    assert.deepEqual(select(touching, { minAgreeing: 1 }), { kind: "no_majority", disagreeing: ["a", "b"] });
  });

  it("counts intervals at the point where they touch, in any order, and calls the one that only touches false", () => {
    // [0, 1], [1, 3] and [2, 4]: of two of three the first common point is 1 and the last is 3 (RFC 5905 §11.2.1).
    const three = [candidate("a", 0.5, 0.5), candidate("b", 2, 1), candidate("c", 3, 1)];
    for (const all of [three, three.toReversed()]) {
      const { low, high, survivors, falsetickers } = agreed(all);
      assert.deepEqual([low, high, survivors, falsetickers], [1, 3, ["b", "c"], ["a"]]);
      const mirrored = agreed(all.map((one) => ({ ...one, offsetSeconds: -one.offsetSeconds })));
      assert.deepEqual([mirrored.low, mirrored.high, mirrored.falsetickers], [-3, -1, ["a"]]);
    }
  });

  it("puts up with a middle 2.5 ms outside of the agreed interval, on either side", () => {
    const sides = [1, -1].map((side) =>
      agreed([
        candidate("a", 0.25 * side, 0.25),
        candidate("b", 0.25 * side, 0.25),
        // All three have 0 to 0.2475 in common; two of them would have 0 to 0.5.
        candidate("c", -0.0025 * side, 0.25),
      ]),
    );
    const intervals = sides.flatMap(({ low, high }) => [low, high]);
    assert.deepEqual(intervals, [0, 0.2475, -0.2475, 0]);
  });

  it("agrees on the inner one of nested intervals", () => {
    const { low, high } = agreed([candidate("far", 0, 1), candidate("near", 0, 0.25)]);
    assert.deepEqual([low, high], [-0.25, 0.25]);
  });

  it("does not call a far source false whose wide interval holds the agreed one, though its middle lies outside", () => {
    const { survivors, falsetickers, offsetSeconds } = agreed([
      candidate("a", 0, 0.001),
      candidate("b", 0, 0.001),
      candidate("far", 0.02, 0.03),
    ]);
    assert.deepEqual(falsetickers, []);
    assert.deepEqual(survivors, ["a", "b", "far"]);
    // 0.02 × 33.333… / 2033.333…: it hardly counts.
    near(offsetSeconds, 0.000_327_868_852_459_016_4);
  });

  it("agrees with near servers whose packets waited on one way, so that no middle is in what they have in common", () => {
    // The truth is 0, and in each interval; −3 to 2 µs are common to them.
    const waited = [
      candidate("a", -50e-6, 52e-6),
      candidate("b", 40e-6, 43e-6),
      candidate("c", -45e-6, 60e-6),
    ];
    const { survivors, falsetickers } = agreed([...waited, liar]);
    assert.deepEqual([survivors.length, falsetickers], [3, ["liar"]]);
  });

  it("finds no majority in one who claims a wide interval beside a narrow one that it only grazes", () => {
    const wide = candidate("wide", 25.9, 25);
    assert.equal(select([candidate("narrow", 0, 1), wide], { minAgreeing: 1 }).kind, "no_majority");
  });

  it("puts up with three liars among eight, even where they agree with each other", () => {
    const five = [1, 2, 3, 4, 5].map((n) => candidate(`good-${n}`, n * 0.001, 0.01));
    const liars = [1, 2, 3].map((n) => candidate(`liar-${n}`, -100, 0.01));
    const result = agreed([...liars, ...five]);
    assert.deepEqual(result.falsetickers, ["liar-1", "liar-2", "liar-3"]);
    assert.equal(result.survivors.length + result.outliers.length, 5);
  });

  it("cuts the truechimer that scatters most while more than three are left (RFC 5905 §11.2.2)", () => {
    const five = [0, 0.000_1, -0.000_1, 0.000_2, 0.009].map((offset, n) => candidate(`s${n}`, offset, 0.01));
    const { survivors, outliers } = agreed(five);
    // s4 is 9 ms off. Then s3: RMS of 0.2, 0.1, 0.3 ms is 0.216 ms, above the jitter of 0.1 ms; then three are left.
    assert.deepEqual(outliers, ["s4", "s3"]);
    assert.deepEqual(survivors, ["s0", "s1", "s2"]);
  });

  it("cuts it wherever it stands by its merit", () => {
    const four = [0.009, 0, 0.000_1, 0.000_2].map((offset, n) => candidate(`s${n}`, offset, 0.01));
    const { survivors, outliers } = agreed(four);
    assert.deepEqual([survivors, outliers], [["s1", "s2", "s3"], ["s0"]]);
  });

  it("keeps all truechimers that scatter no more than the steadiest one jitters", () => {
    const steady = [0, 0.000_1, -0.000_1, 0.000_2].map((offset, n) =>
      candidate(`s${n}`, offset, 0.01, { jitterSeconds: 0.001 }),
    );
    assert.deepEqual(agreed(steady).outliers, []);
  });

  it("goes by the steadiest one alone, however the others jitter", () => {
    const mixed = [0, 0.000_1, -0.000_1, 0.000_9].map((offset, n) =>
      candidate(`s${n}`, offset, 0.01, { jitterSeconds: n === 0 ? 0.000_1 : 0.1 }),
    );
    assert.deepEqual(agreed(mixed).outliers, ["s3"]);
  });

  it("keeps all truechimers that say the same without any jitter", () => {
    const same = [1, 2, 3, 4].map((n) => candidate(`s${n}`, 0, 0.01, { jitterSeconds: 0 }));
    assert.deepEqual(agreed(same).outliers, []);
  });

  it("prefers the lower stratum, then the shorter root distance, as peer", () => {
    const byStratum = [candidate("a", 0, 0.01, { stratum: 3 }), candidate("b", 0, 0.5, { stratum: 1 })];
    assert.equal(agreed(byStratum).survivors[0], "b");
    assert.equal(agreed([candidate("a", 0, 0.02), candidate("b", 0, 0.01)]).survivors[0], "b");
    // 1 × 1.5 + 1 is less than 2 × 1.5 + 0.1.
    assert.equal(agreed([candidate("a", 0, 0.1), candidate("b", 0, 1, { stratum: 1 })]).survivors[0], "b");
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

/** Four of five drawn agree: where hardly any do, it says so at once, and not after 100,000 draws. */
const often = { numRuns: 1_000, maxSkipsPerRun: 2 };

describe("select, whatever the sources say", () => {
  const lowOf = (one: Candidate) => one.offsetSeconds - one.rootDistanceSeconds;
  const highOf = (one: Candidate) => one.offsetSeconds + one.rootDistanceSeconds;

  it("does not depend on the order of the candidates", () => {
    const inTwoOrders = anyCandidates.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
    );
    fc.assert(
      fc.property(inTwoOrders, ([one, other]) => {
        assert.deepEqual(select(other, { minAgreeing: 1 }), select(one, { minAgreeing: 1 }));
      }),
      often,
    );
  });

  it("never combines a source whose interval misses the agreed one", () => {
    fc.assert(
      fc.property(anyCandidates, (all) => {
        const result = select(all, { minAgreeing: 1 });
        fc.pre(result.kind === "agreed");
        for (const one of all.filter(({ id }) => result.survivors.includes(id))) {
          assert.ok(lowOf(one) < result.high && highOf(one) > result.low, `${one.id} misses it`);
        }
      }),
      often,
    );
  });

  it("has a majority within the agreed interval, middles and all, but for 2.5 ms", () => {
    fc.assert(
      fc.property(anyCandidates, (all) => {
        const result = select(all, { minAgreeing: 1 });
        fc.pre(result.kind === "agreed");
        const within = all.filter(
          ({ offsetSeconds }) =>
            offsetSeconds >= result.low - tolerance && offsetSeconds <= result.high + tolerance,
        );
        assert.ok(2 * within.length > all.length, `${within.length} of ${all.length}`);
      }),
      often,
    );
  });

  it("names each source once: survivor, outlier or falseticker", () => {
    fc.assert(
      fc.property(anyCandidates, (all) => {
        const result = select(all, { minAgreeing: 1 });
        fc.pre(result.kind === "agreed");
        const named = [...result.survivors, ...result.outliers, ...result.falsetickers];
        assert.deepEqual(named.sort(), all.map(({ id }) => id).sort());
      }),
      often,
    );
  });

  it("combines to an offset between the survivors' and within the agreed interval", () => {
    fc.assert(
      fc.property(anyCandidates, (all) => {
        const result = select(all, { minAgreeing: 1 });
        fc.pre(result.kind === "agreed");
        const offsets = all
          .filter(({ id }) => result.survivors.includes(id))
          .map(({ offsetSeconds }) => offsetSeconds);
        const slack = tolerance + 1e-9;
        assert.ok(result.offsetSeconds >= Math.min(...offsets) - slack, "below every survivor");
        assert.ok(result.offsetSeconds <= Math.max(...offsets) + slack, "above every survivor");
        assert.ok(result.offsetSeconds >= result.low && result.offsetSeconds <= result.high, "not agreed on");
      }),
      often,
    );
  });

  it("bounds the truth as long as more than half of the sources hold it in the middle of what they say", () => {
    // The truth is an offset of 0; each honest interval holds it, and its middle is within every honest interval.
    const honest = fc.array(fc.double({ min: -0.01, max: 0.01, noNaN: true }), {
      minLength: 4,
      maxLength: 7,
    });
    const lies = fc.array(fc.double({ min: -2, max: 2, noNaN: true }), { maxLength: 3 });
    fc.assert(
      fc.property(
        honest,
        lies,
        fc.double({ min: 0.02, max: 0.5, noNaN: true }),
        (middles, lying, distance) => {
          const all = [...middles, ...lying].map((offset, n) => candidate(`s${n}`, offset, distance));
          const result = agreed(all, 1);
          const { offsetSeconds } = result;
          const uncertaintySeconds = uncertaintyOf(result, offsetSeconds);
          assert.ok(
            Math.abs(offsetSeconds) <= uncertaintySeconds,
            `${offsetSeconds} ± ${uncertaintySeconds}`,
          );
        },
      ),
      often,
    );
  });
});
