import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { codePoint } from "../../lab/basics/code-point.ts";
import { runs } from "../../lab/basics/counts.ts";
import { canonical } from "../../lab/publisher/canonical.ts";
import { StewardError } from "../../src/contract/errors.ts";
import { canonicalJson } from "../../src/tuf/canonical-json.ts";
import { parseStrictJson } from "../../src/tuf/strict-json.ts";

const depth = 32;
const values = 500_000;
const parse = (text: string | Uint8Array): unknown =>
  parseStrictJson(Buffer.from(text), { jsonDepth: depth, jsonValues: values });

function refused(text: string | Uint8Array): StewardError {
  let thrown: unknown;
  try {
    parse(text);
  } catch (error) {
    thrown = error;
  }
  if (!(thrown instanceof StewardError)) throw thrown ?? new Error(`taken: ${String(text).slice(0, 80)}`);
  assert.equal(thrown.code, "update_metadata_malformed");
  return thrown;
}

/** Seconds of the processor. */
function costOf(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  return process.cpuUsage(before).user / 1e6;
}

const name = fc
  .string({ unit: codePoint })
  .filter((text) => text !== "__proto__" && !/\p{Surrogate}/u.test(text));
/** Values of metadata: no floats, no `__proto__`, no half characters, of all nestings up to eight. */
const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 8, depthSize: "small" },
    fc.constant(null),
    fc.boolean(),
    fc.maxSafeInteger().map((number) => (number === 0 ? 0 : number)),
    name,
    fc.array(tie("value"), { maxLength: 5 }),
    fc.dictionary(name, tie("value"), { maxKeys: 5 }),
  ),
})).value;

describe("parseStrictJson", () => {
  it("reads every document of its own kind as JSON.parse does", () => {
    fc.assert(
      fc.property(value, fc.constantFrom("", " ", "\n\t"), (one, indent) => {
        const text = JSON.stringify(one, null, indent);
        assert.equal(JSON.stringify(parse(text)), JSON.stringify(JSON.parse(text)));
      }),
      runs({ usual: 80, all: 500 }),
    );
    assert.deepEqual(parse("[9007199254740991,-9007199254740991,0]"), [2 ** 53 - 1, 1 - 2 ** 53, 0]);
  });

  it("takes nothing that JSON.parse does not take, and throws nothing but its own code", () => {
    const unit = fc.constantFrom(...'{}[]":,0123456789.eE+-\\/truefalsn \n\u0000é');
    const texts = fc.oneof(fc.string({ unit, maxLength: 40 }), fc.string({ unit: codePoint }));
    fc.assert(
      fc.property(texts, (text) => {
        let theirs: string;
        try {
          theirs = JSON.stringify(JSON.parse(text));
        } catch {
          return void refused(text);
        }
        try {
          assert.equal(JSON.stringify(parse(text)), theirs);
        } catch (error) {
          if (!(error instanceof StewardError)) throw error;
          assert.equal(error.code, "update_metadata_malformed");
        }
      }),
      runs({ usual: 200, all: 3_000 }),
    );
  });

  it("refuses a member that is there twice, wherever and however it is written", () => {
    fc.assert(
      fc.property(fc.dictionary(name, value, { minKeys: 1 }), fc.nat(), (object, which) => {
        const names = Object.keys(object);
        const twice = JSON.stringify(names[which % names.length]);
        refused(`${JSON.stringify(object).slice(0, -1)},${twice}:1}`);
      }),
      runs({ usual: 50, all: 200 }),
    );
    assert.match(refused('{"a":1,"\\u0061":2}').message, /twice/);
    assert.match(refused('{"x":{"b":[],"b":[]}}').message, /twice/);
  });

  for (const [what, text, expected] of [
    ["a fraction", "[1.5]", /integers/],
    ["a fraction that is none", "[1.0]", /integers/],
    ["an exponent", "[1e2]", /integers/],
    ["2^53", "[9007199254740992]", /integers/],
    ["minus 2^53", "[-9007199254740992]", /integers/],
    ["minus zero", "[-0]", /integers/],
    ["a number beyond every double, of which it shows the beginning", `[${"9".repeat(400)}]`, /^.{0,199}$/],
    ["__proto__", '{"__proto__":1}', /__proto__/],
    ["__proto__ in escapes", '{"\\u005f_proto__":1}', /__proto__/],
    ["half a surrogate pair", '"\\udc00"', /half/],
    ["a leading zero", "[01]", /./],
    ["a form feed between", "[1,\f2]", /./],
    ["a no-break space between", "[1,\u00a02]", /./],
    ["nothing", "", /./],
    ["blanks alone", "  ", /./],
    ["two values", "1 2", /after its end/],
    ["a string that does not end", '"abc', /does not end/],
    ["a string that ends in its escape", '"abc\\"', /does not end/],
    ["a raw tab in a string", '"a\tb"', /control/],
    ["an escape that JSON does not have", '"\\x41"', /escape/],
    ["a byte order mark, which other readers take for nothing", "\ufeff{}", /./],
    ["what is not UTF-8", Uint8Array.from([0x22, 0xff, 0x22]), /UTF-8/],
  ] as const)
    it(`refuses ${what}`, () => assert.match(refused(text).message, expected));

  it("takes the depth and as many values as are allowed, and not one more", () => {
    parse(`${"[".repeat(depth)}1${"]".repeat(depth)}`);
    for (const deeper of [`${"[".repeat(depth + 1)}1`, "[".repeat(5_000_000), '{"a":'.repeat(1_000_000)])
      assert.match(refused(deeper).message, /deeper/);
    parse(`[${"1,".repeat(values - 2)}1]`);
    assert.match(refused(`[${"1,".repeat(values - 1)}1]`).message, /more than 500000 values/);
  });

  it("gives objects without a prototype, so that no member is there that was not written", () => {
    const object = parse("{}") as Record<string, unknown>;
    assert.deepEqual([object.constructor, Object.getPrototypeOf(object)], [undefined, null]);
  });

  it("takes no longer than the file is long", () => {
    const long = JSON.stringify({ a: '\\"x'.repeat(200_000), b: Array.from({ length: 300_000 }, () => 1) });
    const cost = costOf(() => parse(long));
    assert.ok(cost < 5, `${cost} s of the processor for ${long.length} characters`);
  });
});

describe("canonicalJson", () => {
  const text = (one: unknown): string => Buffer.from(canonicalJson(one)).toString("utf8");

  // By hand, after http://wiki.laptop.org/go/Canonical_JSON.
  for (const [what, one, expected] of [
    ["members in order", { z: [{ d: null, c: 1 }], B: {}, a: [] }, '{"B":{},"a":[],"z":[{"c":1,"d":null}]}'],
    ["members that look like numbers", { 10: "a", 9: "b", a: "c" }, '{"10":"a","9":"b","a":"c"}'],
    ["only quotes and backslashes escaped", { '"': "\\/\n\u007fé😀" }, '{"\\"":"\\\\/\n\u007fé😀"}'],
    ["names by code points, not by UTF-16", { "\uffff": 1, "😀": 2 }, '{"\uffff":1,"😀":2}'],
    ["the ends of surrogates in order", { "\u{103ff}": 3, "\u{10000}": 2 }, '{"\u{10000}":2,"\u{103ff}":3}'],
    ["a prefix before what it begins", { "a😀": 3, "a\u0000": 2, a: 1 }, '{"a":1,"a\u0000":2,"a😀":3}'],
    ["integers, and minus zero as zero", [0, -0, -1, 2 ** 53 - 1], "[0,0,-1,9007199254740991]"],
  ] as const)
    it(`writes ${what}`, () => assert.equal(text(one), expected));

  it("has no form for anything but integers, texts, booleans and null", () => {
    for (const one of [1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, undefined, 1n, Symbol("a")])
      assert.throws(() => canonicalJson({ one }), { code: "update_metadata_malformed" }, String(one));
  });

  it("takes 60,000 members in their stride: they are sorted before any signature is checked", () => {
    const names = Array.from({ length: 60_000 }, (_, index) => ((index * 7_919) % 60_000).toString(36));
    const many: unknown = Object.fromEntries(names.map((one) => [one, 1]));
    const cost = costOf(() => canonicalJson(many));
    assert.ok(cost < 2, `it took ${cost} s of the processor`);
  });

  it("is what another hand makes of any value, and does not hang on the order of members", () => {
    const leaf = fc.oneof(name, fc.maxSafeInteger(), fc.boolean(), fc.constant(null));
    const object = fc.dictionary(name, fc.oneof(leaf, fc.array(leaf), fc.dictionary(name, leaf)));
    fc.assert(
      fc.property(object, (one) => {
        const backwards = Object.fromEntries(Object.entries(one).reverse());
        assert.equal(text(one), canonical(one).toString("utf8"));
        assert.equal(text(backwards), text(one));
      }),
      runs({ usual: 50, all: 300 }),
    );
  });
});
