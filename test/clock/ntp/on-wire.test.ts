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
  kind: "reply",
  receiveSeconds: base + 13 * unit,
  transmitSeconds: base + 15 * unit,
  heldSeconds: 2 * unit,
  leap: "none",
  stratum: 2,
  precisionSeconds: 2 ** -20,
  rootDelaySeconds: 0,
  rootDispersionSeconds: 0,
  refid: "0a000001",
};
const passage: Passage = {
  sentMonotonicSeconds: 1_000,
  arrived: { wallSeconds: base + 18 * unit, monotonicSeconds: 1_000 + 18 * unit },
  longestSeconds: 1,
};

/** Within the quantum of a wall time as a double. */
function assertNear(found: number | undefined, expected: number): void {
  assert.ok(found !== undefined && Math.abs(found - expected) < 2.4e-7, `${found} instead of ${expected}`);
}

describe("a sample", () => {
  it("has the offset ((T2 − T1) + (T3 − T4)) / 2: positive, as this host is behind", () => {
    assertNear(sampleOf(reply, passage)?.offsetSeconds, 5 * unit);
  });

  it("has the delay (T4 − T1) − (T3 − T2)", () => {
    assert.equal(sampleOf(reply, passage)?.delaySeconds, 16 * unit);
  });

  it("has as its dispersion both precisions and 15 ppm of the time it took", () => {
    const dispersion = sampleOf(reply, {
      ...passage,
      arrived: { wallSeconds: base, monotonicSeconds: 1_001 },
    });
    // 2^-20 s = 0.95 µs, 2^-18 s = 3.81 µs, 15 µs.
    assert.ok(
      Math.abs((dispersion?.dispersionSeconds ?? 0) - 19.768e-6) < 1e-9,
      `${dispersion?.dispersionSeconds}`,
    );
  });

  it("is of the moment of its arrival", () => {
    assert.equal(sampleOf(reply, passage)?.atSeconds, 1_000 + 18 * unit);
  });

  it("has the precision for its delay where the server claims to have held it a little longer than it was away", () => {
    const delay = sampleOf({ ...reply, heldSeconds: 18 * unit + 2e-6 }, passage)?.delaySeconds;
    assert.equal(delay, 2 ** -18);
  });

  const refused: [string, NtpReply, Passage][] = [
    ["held it for longer than it was away", { ...reply, heldSeconds: 19 * unit }, passage],
    ["held it for a day", { ...reply, heldSeconds: 86_400 }, passage],
  ];
  for (const [name, from, by] of refused) {
    it(`is not made where the server ${name}`, () => assert.equal(sampleOf(from, by), null));
  }

  const times: [string, number][] = [
    ["took longer than it may", 1_001.001],
    ["came before it was asked for", 999.999],
    ["came to a clock that cannot tell", Number.NaN],
  ];
  for (const [name, monotonicSeconds] of times) {
    it(`is not made of a reply that ${name}`, () => {
      assert.equal(sampleOf(reply, { ...passage, arrived: { wallSeconds: base, monotonicSeconds } }), null);
    });
  }

  it("is not made of a reply to a request that was never sent", () => {
    assert.equal(sampleOf(reply, { ...passage, sentMonotonicSeconds: Number.POSITIVE_INFINITY }), null);
  });
});

describe("the reading at a packet's arrival", () => {
  const sent = { wallSeconds: base, monotonicSeconds: 1_000 };
  const now = { wallSeconds: base + 64 * unit, monotonicSeconds: 1_000 + 64 * unit };

  it("lies before the present one by the packet's age", () => {
    assert.deepEqual(readingAtArrival(sent, now, 50 * unit), {
      wallSeconds: base + 14 * unit,
      monotonicSeconds: 1_000 + 14 * unit,
    });
  });

  it("is the present one where no age is known", () => {
    assert.deepEqual(readingAtArrival(sent, now, 0), now);
  });

  for (const stepSeconds of [unit, -unit, 1, -1, 86_400]) {
    it(`is the present one where the wall clock was stepped by ${stepSeconds} s since the request`, () => {
      const stepped = { ...now, wallSeconds: now.wallSeconds + stepSeconds };
      assert.deepEqual(readingAtArrival(sent, stepped, Math.max(50 * unit + stepSeconds, 0)), stepped);
    });
  }

  it("is the present one where nothing was sent", () => {
    const never = { wallSeconds: Number.NaN, monotonicSeconds: Number.POSITIVE_INFINITY };
    assert.deepEqual(readingAtArrival(never, now, 50 * unit), now);
  });
});
