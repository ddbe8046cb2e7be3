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

/** Values of metadata: no floats, no `__proto__`, no half characters, of all nestings up to eight. */
const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 8, depthSize: "small" },
    fc.constant(null),
    fc.boolean(),
    fc.maxSafeInteger().map((number) => (number === 0 ? 0 : number)),
    fc.string({ unit: codePoint }).filter((text) => !/\p{Surrogate}/u.test(text)),
    fc.array(tie("value"), { maxLength: 5 }),
    fc.dictionary(
      fc.string({ unit: codePoint }).filter((name) => name !== "__proto__" && !/\p{Surrogate}/u.test(name)),
      tie("value"),
      { maxKeys: 5 },
    ),
  ),
})).value;

describe("parseStrictJson", () => {
  it("takes the outermost integers that everybody reads alike", () =>
    assert.deepEqual(parse("[9007199254740991,-9007199254740991,0]"), [2 ** 53 - 1, 1 - 2 ** 53, 0]));

  it("reads every document of its own kind as JSON.parse does", () => {
    fc.assert(
      fc.property(value, fc.constantFrom("", " ", "\n\t"), (one, indent) => {
        const text = JSON.stringify(one, null, indent);
        assert.equal(JSON.stringify(parse(text)), JSON.stringify(JSON.parse(text)));
      }),
      runs({ usual: 80, all: 500 }),
    );
  });

  it("takes nothing that JSON.parse does not take, and throws nothing but its own code", () => {
    const signs = fc.string({
      unit: fc.constantFrom(...'{}[]":,0123456789.eE+-\\/truefalsn \n\u0000é'),
      maxLength: 40,
    });
    fc.assert(
      fc.property(fc.oneof(signs, fc.string({ unit: codePoint })), (text) => {
        let theirs: string | undefined;
        try {
          theirs = JSON.stringify(JSON.parse(text));
        } catch {
          refused(text);
          return;
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
      fc.property(fc.dictionary(fc.string(), value, { minKeys: 1 }), fc.nat(), (object, which) => {
        const names = Object.keys(object).filter((name) => name !== "__proto__");
        const name = names[which % names.length];
        if (name === undefined) return;
        const escaped = [...JSON.stringify(name).slice(1, -1)].join("");
        refused(`${JSON.stringify(object).slice(0, -1)},"${escaped}":1}`);
      }),
      runs({ usual: 50, all: 200 }),
    );
    assert.match(refused('{"a":1,"\\u0061":2}').message, /twice/);
    assert.match(refused('{"x":{"b":[],"b":[]}}').message, /twice/);
    assert.ok(refused(`[${"9".repeat(400)}]`).message.length < 200, "it shows all of a number");
  });

  const bad: [string, string, RegExp][] = [
    ["a fraction", "[1.5]", /integers/],
    ["a fraction that is none", "[1.0]", /integers/],
    ["an exponent", "[1e2]", /integers/],
    ["2^53", "[9007199254740992]", /integers/],
    ["minus 2^53", "[-9007199254740992]", /integers/],
    ["minus zero", "[-0]", /integers/],
    ["a number beyond every double", `[${"9".repeat(400)}]`, /integers/],
    ["__proto__", '{"__proto__":1}', /__proto__/],
    ["__proto__ in escapes", '{"\\u005f_proto__":1}', /__proto__/],
    ["half a surrogate pair", '"\\udc00"', /half/],
    ["a leading zero", "[01]", /./],
    ["a plus", "[+1]", /./],
    ["hex", "[0x10]", /./],
    ["a bare word", "[undefined]", /./],
    ["a single quote", "['a']", /./],
    ["a form feed between", "[1,\f2]", /./],
    ["a no-break space between", "[1,\u00a02]", /./],
    ["nothing", "", /./],
    ["blanks alone", "  ", /./],
    ["two values", "1 2", /behind its end/],
    ["a string that does not end", '"abc', /does not end/],
    ["a string that ends in its escape", '"abc\\"', /does not end/],
    ["a raw tab in a string", '"a\tb"', /control/],
    ["an escape that JSON does not have", '"\\x41"', /escape/],
  ];
  for (const [name, text, expected] of bad) {
    it(`refuses ${name}`, () => assert.match(refused(text).message, expected));
  }

  it("refuses what is not UTF-8, and a byte order mark, which other readers take for nothing", () => {
    const error = refused(Uint8Array.from([0x22, 0xff, 0x22]));
    assert.match(error.message, /UTF-8/);
    assert.ok(error.cause instanceof Error, "it has lost its cause");
    refused("\ufeff{}");
  });

  it("takes the depth that is allowed, and not one more", () => {
    parse(`${"[".repeat(depth)}1${"]".repeat(depth)}`);
    assert.match(refused(`${"[".repeat(depth + 1)}1${"]".repeat(depth + 1)}`).message, /deeper/);
    assert.match(refused("[".repeat(5_000_000)).message, /deeper/);
    assert.match(refused('{"a":'.repeat(1_000_000)).message, /deeper/);
  });

  it("takes as many values as are allowed, and not one more", () => {
    parse(`[${"1,".repeat(values - 2)}1]`);
    assert.match(refused(`[${"1,".repeat(values - 1)}1]`).message, /more than 500000 values/);
  });

  it("gives objects without a prototype, so that no member is there that was not written", () => {
    const object = parse("{}") as Record<string, unknown>;
    assert.equal(object.constructor, undefined);
    assert.equal(Object.getPrototypeOf(object), null);
  });

  it("takes no longer than the file is long", () => {
    const long = JSON.stringify({ a: '\\"x'.repeat(200_000), b: Array.from({ length: 300_000 }, () => 1) });
    const before = process.cpuUsage();
    parse(long);
    const { user } = process.cpuUsage(before);
    assert.ok(user < 5_000_000, `${user / 1e6} s of the processor for ${long.length} characters`);
  });
});

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
