import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import fc from "fast-check";
import { runs } from "../../../lab/basics/counts.ts";
import { historySeriesNames } from "../../../src/contract/figures/history.ts";
import { forms, unknownBits } from "../../../src/figures/history/figures.ts";
import { capacity, columns, Ring } from "../../../src/figures/history/ring.ts";
import { decodeRing, encodeRing, fileBytes } from "../../../src/figures/history/ring-file.ts";

const week = 2_016;

/** Things that are done to a ring; steps go forward by a little or far, and back. */
const doings = fc.array(
  fc.record({
    kind: fc.constantFrom("put", "put", "put", "put", "forget"),
    by: fc.oneof(fc.integer({ min: -3, max: 5 }), fc.integer({ min: -3_000, max: 3_000 })),
  }),
  { maxLength: 80 },
);

const pointOf = (bits: number): number[] => Array.from({ length: 12 }, (_, column) => bits + column);

/** Does the same to a ring and to a list of points by step, by the rules in words, and gives both. */
function done(steps: readonly { kind: string; by: number }[]) {
  const ring = new Ring();
  const model = new Map<number, number>();
  let [newest, at] = [-1, 5_000];
  for (const [number, { kind, by }] of steps.entries()) {
    at = Math.max(-2, at + by);
    if (kind === "put") {
      ring.put(at, pointOf(number));
      if (at < 0 || at <= newest - week || model.has(at)) continue;
      model.set(at, number);
      newest = Math.max(newest, at);
      for (const old of model.keys()) if (old <= newest - week) model.delete(old);
    } else {
      ring.forgetAfter(at);
      for (const later of model.keys()) if (later > at) model.delete(later);
      newest = Math.min(newest, Math.max(-1, at));
    }
  }
  return { ring, model, newest };
}

describe("the ring", () => {
  it("has the points of seven days, each in its step and none twice, also from its file, whatever is done to it", () => {
    const holds = fc.property(doings, (steps) => {
      const { ring, model, newest } = done(steps);
      for (let step = newest - week - 10; step <= newest + 10; step += 1) {
        const number = model.get(step);
        const found = ring.at(step);
        assert.deepEqual(found && [...found], number === undefined ? null : pointOf(number), `step ${step}`);
      }
      const read = decodeRing(encodeRing(ring));
      assert.deepEqual([ring.newest(), read?.newest(), read?.values()], [newest, newest, ring.values()]);
    });
    fc.assert(holds, runs({ usual: 60, all: 600 }));
  });

  it("takes 47 KiB on the disk, whatever it holds", () => {
    const full = new Ring();
    for (let step = 0; step < 3 * week; step += 1) full.put(step, pointOf(step % 30_000));
    const sizes = [new Ring(), full].map((ring) => encodeRing(ring).length);
    assert.deepEqual([columns, capacity, ...sizes, fileBytes], [12, week, ...Array(3).fill(64 + 24 * week)]);
  });
});

describe("the file of the ring", () => {
  const whole = encodeRing(done([{ kind: "put", by: 0 }]).ring);

  it("is refused with any byte changed", () => {
    const places = fc.integer({ min: 0, max: whole.length - 1 });
    const holds = fc.property(places, fc.integer({ min: 1, max: 255 }), (at, change) => {
      const bytes = Buffer.from(whole);
      bytes.writeUInt8(bytes.readUInt8(at) ^ change, at);
      assert.equal(decodeRing(bytes), null);
    });
    fc.assert(holds, runs({ usual: 200, all: 5_000 }));
    assert.notEqual(decodeRing(whole), null);
  });

  it("is refused in another form, although nothing of it is damaged", () => {
    for (const at of [0, 16, 18, 20, 22]) {
      const bytes = Buffer.from(whole);
      bytes.writeUInt8(bytes.readUInt8(at) + 1, at);
      const hash = createHash("sha256").update(bytes.subarray(0, 32)).update(bytes.subarray(64)).digest();
      hash.copy(bytes, 32);
      assert.equal(decodeRing(bytes), null, `byte ${at}`);
    }
  });

  it("is refused where it was cut, has more, or is another program's", () => {
    const cut = [0, 1, 63, 64, whole.length - 1].map((length) => whole.subarray(0, length));
    const others = [Buffer.concat([whole, Buffer.alloc(1)]), Buffer.alloc(whole.length), Buffer.from("{}")];
    for (const bytes of [...cut, ...others]) assert.equal(decodeRing(bytes), null, `${bytes.length} bytes`);
  });
});

describe("a figure of the history", () => {
  const kept = (name: keyof typeof forms, figure: number) => forms[name].toFigure(forms[name].toBits(figure));

  it("is kept to three digits, of a clock from a microsecond to three years and of either sign", () => {
    const exponents = fc.double({ min: -6, max: 8, noNaN: true });
    const holds = fc.property(exponents, fc.constantFrom(1, -1), (exponent, sign) => {
      const seconds = sign * 10 ** exponent;
      for (const name of ["clock_offset_seconds", "clock_uncertainty_seconds"] as const)
        assert.ok(Math.abs(kept(name, seconds) / seconds - 1) < 6e-3, `${name} ${seconds}`);
    });
    fc.assert(holds, runs({ usual: 200, all: 5_000 }));
  });

  for (const [name, figure, expected] of [
    ["clock_offset_seconds", 0, 0],
    ["disk_used_ratio", 0.41239, 0.4124],
    ["memory_used_ratio", 1, 1],
    ["load", 12.346, 12.35],
    ["temperature_celsius", -12.34, -12.3],
    ["temperature_celsius", 98.76, 98.8],
  ] as const)
    it(`is kept as a person reads it: ${name} ${figure}`, () => assert.equal(kept(name, figure), expected));

  it("is never taken for one that is not known, and stays within its range", () => {
    for (const name of historySeriesNames)
      for (const figure of [-1e300, Number.NEGATIVE_INFINITY, 1e300, Number.POSITIVE_INFINITY]) {
        const bits = forms[name].toBits(figure);
        assert.ok(bits > unknownBits && bits <= 32_767, `${name}: ${figure} became ${bits}`);
      }
  });
});
