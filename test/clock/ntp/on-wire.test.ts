import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { NtpReply } from "../../../src/clock/ntp/ntp-packet.ts";
import { type Passage, readingAtArrival, sampleOf } from "../../../src/clock/ntp/on-wire.ts";

/** Times are multiples of 2^-10 s, so that every figure here is exact. */
const unit = 2 ** -10;
const base = 1_795_132_800;

/**
 * RFC 5905 §8 by hand. Our clock is 5 units behind the server's; the request takes 8 units, the server 2, the reply 8:
 * T1 = 0, T2 = 0 + 8 + 5 = 13, T3 = 15, T4 = 18.
 */
const reply: NtpReply = {
  ...{ kind: "reply", receiveSeconds: base + 13 * unit, transmitSeconds: base + 15 * unit },
  ...{ heldSeconds: 2 * unit, leap: "none", stratum: 2, refid: "0a000001" },
  ...{ precisionSeconds: 2 ** -20, rootDelaySeconds: 0, rootDispersionSeconds: 0 },
};
const passage: Passage = {
  sentMonotonicSeconds: 1_000,
  arrived: { wallSeconds: base + 18 * unit, monotonicSeconds: 1_000 + 18 * unit },
  longestSeconds: 1,
};
const arrivedAt = (monotonicSeconds: number): Passage => ({
  ...passage,
  arrived: { wallSeconds: base, monotonicSeconds },
});

describe("a sample", () => {
  it("has offset ((T2 − T1) + (T3 − T4)) / 2, delay (T4 − T1) − (T3 − T2), and the moment of its arrival", () => {
    const sample = sampleOf(reply, passage) ?? assert.fail("no sample");
    // Within the quantum of a wall time as a double; positive, as this host is behind.
    assert.ok(Math.abs(sample.offsetSeconds - 5 * unit) < 2.4e-7, `${sample.offsetSeconds}`);
    assert.deepEqual([sample.delaySeconds, sample.atSeconds], [16 * unit, 1_000 + 18 * unit]);
  });

  it("has as its dispersion both precisions and 15 ppm of the time it took", () => {
    // 2^-20 s = 0.95 µs, 2^-18 s = 3.81 µs, 15 µs.
    const dispersion = sampleOf(reply, arrivedAt(1_001))?.dispersionSeconds ?? 0;
    assert.ok(Math.abs(dispersion - 19.768e-6) < 1e-9, `${dispersion}`);
  });

  it("has the precision for its delay where the server claims to have held it a little longer than it was away", () => {
    const sample = sampleOf({ ...reply, heldSeconds: 18 * unit + 2e-6 }, passage);
    assert.equal(sample?.delaySeconds, 2 ** -18);
  });

  for (const [name, from, by] of [
    ["held for longer than it was away", { ...reply, heldSeconds: 19 * unit }, passage],
    ["that took longer than it may", reply, arrivedAt(1_001.001)],
    ["that came before it was asked for", reply, arrivedAt(999.999)],
    ["that came to a clock that cannot tell", reply, arrivedAt(Number.NaN)],
    ["to no request", reply, { ...passage, sentMonotonicSeconds: Number.POSITIVE_INFINITY }],
  ] as const)
    it(`is not made of a reply ${name}`, () => assert.equal(sampleOf(from, by), null));
});

describe("the reading at a packet's arrival", () => {
  const sent = { wallSeconds: base, monotonicSeconds: 1_000 };
  const now = { wallSeconds: base + 64 * unit, monotonicSeconds: 1_000 + 64 * unit };

  it("lies before the present one by the packet's age, where that is known", () => {
    assert.deepEqual(readingAtArrival(sent, now, 50 * unit), {
      wallSeconds: base + 14 * unit,
      monotonicSeconds: 1_000 + 14 * unit,
    });
    assert.deepEqual(readingAtArrival(sent, now, 0), now);
  });

  it("is the present one where the wall clock was stepped since the request, or none was sent", () => {
    for (const stepSeconds of [unit, -unit, 1, -1, 86_400]) {
      const stepped = { ...now, wallSeconds: now.wallSeconds + stepSeconds };
      assert.deepEqual(readingAtArrival(sent, stepped, Math.max(50 * unit + stepSeconds, 0)), stepped);
    }
    const never = { wallSeconds: Number.NaN, monotonicSeconds: Number.POSITIVE_INFINITY };
    assert.deepEqual(readingAtArrival(never, now, 50 * unit), now);
  });
});
