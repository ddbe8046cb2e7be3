import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { runs } from "../../lab/basics/counts.ts";
import { canonical } from "../../lab/publisher/canonical.ts";
import { StewardError } from "../../src/contract/errors.ts";
import { canonicalJson } from "../../src/tuf/canonical-json.ts";

const text = (value: unknown): string => Buffer.from(canonicalJson(value)).toString("utf8");

describe("canonicalJson", () => {
  // By hand, after http://wiki.laptop.org/go/Canonical_JSON.
  const vectors: [string, unknown, string][] = [
    ["an empty object", {}, "{}"],
    ["an empty list", [], "[]"],
    ["members in order", { b: 1, a: 2, B: 3 }, '{"B":3,"a":2,"b":1}'],
    [
      "members inside members",
      { z: [{ d: null, c: true }], a: false },
      '{"a":false,"z":[{"c":true,"d":null}]}',
    ],
    ["members that look like numbers", { 10: "a", 9: "b", a: "c" }, '{"10":"a","9":"b","a":"c"}'],
    ["the empty name", { "": 1 }, '{"":1}'],
    ["a quote and a backslash", '"\\', '"\\"\\\\"'],
    ["a quote in a name", { 'a"b': 1 }, '{"a\\"b":1}'],
    ["a slash", "a/b", '"a/b"'],
    ["a line break as it is", "a\nb", '"a\nb"'],
    ["a delete as it is", "\u007f", '"\u007f"'],
    ["letters beyond ASCII as they are", "é€😀", '"é€😀"'],
    ["names by code points, not by UTF-16", { "\uffff": 1, "😀": 2 }, '{"\uffff":1,"😀":2}'],
    [
      "names by code points at the ends of the surrogates",
      { "\uffff": 1, "\u{103ff}": 3, "\u{10000}": 2 },
      '{"\uffff":1,"\u{10000}":2,"\u{103ff}":3}',
    ],
    [
      "a prefix before the first signs of all",
      { "a\u0001": 3, "a\u0000": 2, a: 1 },
      '{"a":1,"a\u0000":2,"a\u0001":3}',
    ],
    ["a prefix before what it begins", { ab: 1, a: 2 }, '{"a":2,"ab":1}'],
    ["integers", [0, -1, 2 ** 53 - 1], "[0,-1,9007199254740991]"],
    ["minus zero as zero", [-0], "[0]"],
  ];
  for (const [name, value, expected] of vectors) {
    it(`writes ${name}`, () => assert.equal(text(value), expected));
  }

  for (const value of [1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, undefined, 1n, Symbol("a")]) {
    it(`has no form for ${String(value)}`, () => {
      assert.throws(
        () => canonicalJson({ value }),
        (error) => error instanceof StewardError && error.code === "update_metadata_malformed",
      );
    });
  }

  it("takes 60,000 members in their stride: they are sorted before any signature is checked", () => {
    const members = Array.from({ length: 60_000 }, (_, index) => [
      ((index * 7_919) % 60_000).toString(36),
      1,
    ]);
    const value: unknown = Object.fromEntries(members);
    const before = process.cpuUsage();
    canonicalJson(value);
    const { user } = process.cpuUsage(before);
    assert.ok(user < 2_000_000, `it took ${user / 1e6} s of the processor`);
  });

  it("is what another hand makes of any value, and does not hang on the order of members", () => {
    const name = fc
      .string({ unit: "binary" })
      .filter((one) => !/\p{Surrogate}/u.test(one) && one !== "__proto__");
    const leaf = fc.oneof(name, fc.maxSafeInteger(), fc.boolean(), fc.constant(null));
    const object = fc.dictionary(name, fc.oneof(leaf, fc.array(leaf), fc.dictionary(name, leaf)));
    fc.assert(
      fc.property(object, (value) => {
        const backwards = Object.fromEntries(Object.entries(value).reverse());
        assert.equal(text(value), canonical(value).toString("utf8"));
        assert.equal(text(backwards), text(value));
      }),
      runs({ usual: 50, all: 300 }),
    );
  });
});
