import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { AddressWalk } from "../../../src/clock/ntp/address-walk.ts";
import type { KissCode } from "../../../src/clock/ntp/sample.ts";

const [a, b, c] = ["192.0.2.1", "2001:db8::1", "192.0.2.2"] as const;
const day = 86_400;

const unsigned = (kiss: KissCode) => ({ kiss, isSigned: false, intervalSeconds: 1 });

/** Seconds from `now` until the address may be asked again. */
function quietSeconds(walk: AddressWalk, address: string, now: number): number {
  let [low, high] = [0, 2 * day];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (walk.isQuiet(address, now + middle)) low = middle;
    else high = middle;
  }
  return walk.isQuiet(address, now) ? high : 0;
}

function waitsAfter(kisses: readonly KissCode[], isSigned = false): number[] {
  const walk = new AddressWalk();
  let now = 0;
  return kisses.map((kiss) => {
    walk.failed(a, now, { ...unsigned(kiss), isSigned });
    const wait = quietSeconds(walk, a, now);
    now += wait;
    return wait;
  });
}

const times = <T>(count: number, one: T): T[] => Array.from({ length: count }, () => one);

it("a server's addresses are asked in the order that is given until one fails, then the one that failed longest ago", () => {
  const walk = new AddressWalk();
  for (let now = 0; now < 7; now += 1) {
    const [next = ""] = walk.inTurn([a, b, c]);
    assert.equal(next, [a, b, c][now % 3]);
    walk.failed(next, now);
  }
  walk.answered(b, 7);
  assert.deepEqual(walk.inTurn([a, b, c]), [b, c, a]);
});

describe("a kiss-o'-death", () => {
  const refused = [256, 1_024, 4_096, 16_384, 65_536, day, day];
  const rated = [256, 1_024, 4_096, 8_192, 8_192];
  // The waits after kisses that come as soon as the address is asked again.
  for (const [code, isSigned, waits] of [
    ["DENY", false, refused],
    ["RSTR", false, refused],
    ["DENY", true, [day, day]],
    ["RSTR", true, [day, day]],
    ["RATE", false, rated],
    ["RATE", true, rated],
  ] as const)
    it(`${code} that is ${isSigned ? "" : "not "}authenticated holds for ${waits.join(", ")} s`, () => {
      assert.deepEqual(waitsAfter(times(waits.length, code), isSigned), waits);
    });

  it("is one address's, and over with the next answer", () => {
    const walk = new AddressWalk();
    for (const now of [0, 256, 1_280]) walk.failed(a, now, unsigned("DENY"));
    assert.deepEqual([walk.isRefused(a), walk.isRefused(b), walk.isQuiet(b, 1_280)], [true, false, false]);
    walk.answered(a, 5_376);
    assert.deepEqual([walk.isRefused(a), walk.isQuiet(a, 5_376)], [false, false]);
    walk.failed(a, 6_000, unsigned("DENY"));
    assert.equal(quietSeconds(walk, a, 6_000), 256);
  });

  it("RATE makes the interval longer that was kept, and not the least one, and silence makes it no shorter", () => {
    const walk = new AddressWalk();
    walk.failed(b, 0);
    assert.equal(walk.isQuiet(b, 0), false);
    walk.failed(a, 0, { ...unsigned("RATE"), intervalSeconds: 1_030 });
    assert.equal(quietSeconds(walk, a, 0), 4_096);
    walk.failed(a, 5_000);
    assert.equal(quietSeconds(walk, a, 5_000), 4_096);
  });

  it("RATE is forgotten by degrees: each fourth answer halves the interval, down to the usual one", () => {
    const walk = new AddressWalk();
    walk.failed(a, 0, unsigned("RATE"));
    walk.failed(a, 256, unsigned("RATE"));
    let now = 256 + 1_024;
    const waits = times(18, 0).map(() => {
      walk.answered(a, now);
      const wait = quietSeconds(walk, a, now);
      now += Math.max(64, wait);
      return wait;
    });
    assert.deepEqual(waits, [
      ...[...times(3, 1_024), ...times(4, 512), ...times(4, 256), ...times(4, 128)],
      ...times(3, 0),
    ]);
  });

  it("that nobody has signed holds an address up for four times as long as its sender was there, and for a day at most", () => {
    const anyKiss = fc.constantFrom<KissCode>("DENY", "RSTR", "RATE");
    const property = fc.property(fc.array(anyKiss, { minLength: 1, maxLength: 40 }), (all) => {
      const waits = waitsAfter(all);
      const last = waits.pop() ?? 0;
      const thereSeconds = waits.reduce((sum, wait) => sum + wait, 0);
      assert.ok(last <= Math.min(day, 256 + 4 * thereSeconds), `${last} s after ${thereSeconds} s`);
    });
    fc.assert(property);
  });
});
