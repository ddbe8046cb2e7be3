import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { codePoint } from "../../../lab/basics/code-point.ts";
import { runs } from "../../../lab/basics/counts.ts";
import { jsonOf } from "../../../src/contract/text/json-of.ts";
import { textOf } from "../../../src/contract/text/text-of.ts";

const parse = (text: string): unknown => jsonOf(text, (why) => new Error(why));

const noNumber = "a number is not written as JSON has it, such as 8, -0.5 or 1e3";
const unquoted = 'a text or name is not in quotation marks (")';
const foreign = "a value is here that JSON does not have; null may be meant";

/** The text, and the end of the reason behind "is not JSON at line ". */
const refused: readonly (readonly [text: string, reason: string])[] = [
  ["", "1, column 1: it ends here, and something is missing"],
  ['{"a": 1', "1, column 8: it ends here, and something is missing"],
  ['[{"n": "ad', "1, column 8 (/0/n): a text does not end: a quotation mark is missing"],
  ['{"a": 1, "a": 1}', '1, column 10: the member "a" is there twice'],
  ['[{"role": 1,\r\n "role": 2}]', '2, column 2 (/0): the member "role" is there twice'],
  ['{"a": 1, "\\u0061": 1}', '1, column 10: the member "a" is there twice'],
  ['{"a/b~": {"c": 1, "c": 2}}', '1, column 19 (/a~1b~0): the member "c" is there twice'],
  ["[1, 2,\n]", "2, column 1: a comma is before ]"],
  ['{"a": 1,}', "1, column 9: a comma is before }"],
  ['{\n  "names": []\n  "product": "pump"\n}', "3, column 3: a comma or } is missing"],
  ['{"a": 1; "b": 2}', "1, column 8: a comma or } is missing"],
  ['{"a" 1}', "1, column 6: a colon is missing"],
  ["[1] [2]", "1, column 5: the end is missing"],
  ["[,1]", "1, column 2 (/0): a value is missing"],
  ['// made by hand\n{"a": 1}', "1, column 1: a comment is here, and JSON has none"],
  ['{"a": 1 # one\n}', "1, column 9: a comment is here, and JSON has none"],
  ["{'a': 1}", '1, column 2: a quotation mark other than " is here'],
  ["{“a”: 1}", '1, column 2: a quotation mark other than " is here'],
  ["{a: 1}", `1, column 2: ${unquoted}`],
  ['{"a": yes}', `1, column 7 (/a): ${unquoted}`],
  ['{"a": NaN}', `1, column 7 (/a): ${foreign}`],
  ['{"a": -Infinity}', `1, column 7 (/a): ${foreign}`],
  ['{"a": True}', "1, column 7 (/a): true, false and null are written in small letters"],
  ...["[01]", "[+1]", "[0x1f]"].map((text) => [text, `1, column 2 (/0): ${noNumber}`] as const),
  ["[1e400]", "1, column 2 (/0): a number is too large"],
  ['["a\tb"]', "1, column 4 (/0): a control character is in a text; a line end is written \\n, a tab \\t"],
  [
    '["\\\\", "C:\\pump"]',
    "1, column 11 (/1): a backslash is before a sign that needs none; the backslash itself is written \\\\",
  ],
  ['["\\ud83d"]', "1, column 2 (/0): a text has half a character (a lone surrogate)"],
  ["\ufeff{}", "1, column 1: a byte order mark is here"],
  ['{"a":\u00a01}', "1, column 6 (/a): a blank is here that JSON does not have, such as a no-break space"],
  ["[".repeat(70), `1, column 66 (${"/0".repeat(65)}): it is nested deeper than 64`],
];

describe("jsonOf", () => {
  for (const [text, reason] of refused)
    it(`says where and why ${JSON.stringify(text.slice(0, 40))} is refused`, () =>
      assert.throws(() => parse(text), { message: `is not JSON at line ${reason}` }));

  for (const text of [
    ...['{"password": hunter2}', '{"password": "hunter2}', "{'hunter2': 1}", '{"a": "hunter2" "b": 1}'],
  ])
    it(`repeats no value, which may be a secret: ${text}`, () =>
      assert.throws(
        () => parse(text),
        ({ message }: Error) => !message.includes("hunter2"),
      ));

  it("reads every document as JSON.parse does, and refuses what that refuses", () => {
    const signs = fc.string({
      unit: fc.constantFrom(...'{}[]":,01.eE+-\\/truefalsn \n\u0000\u0080é"'),
      maxLength: 30,
    });
    const written = fc
      .tuple(fc.jsonValue(), fc.constantFrom("", " ", "\t"))
      .map(([one, indent]) => JSON.stringify(one, null, indent));
    fc.assert(
      fc.property(fc.oneof(written, signs, fc.string({ unit: codePoint })), (text) => {
        let theirs: unknown;
        try {
          theirs = JSON.parse(text);
        } catch {
          assert.throws(() => parse(text), { message: /^is not JSON at line \d+, column \d+/ });
          return;
        }
        try {
          assert.deepEqual(parse(text), theirs);
        } catch (error) {
          assert.match(String(error), /there twice|half a character|too large/);
        }
      }),
      runs({ usual: 300, all: 5_000 }),
    );
  });

  it("takes a time that grows with the length, whatever is refused", () => {
    const text = `["${"\\\\".repeat(200_000)}`;
    assert.throws(() => parse(text), { message: /does not end/ });
    assert.equal(Array.isArray(parse(`${text}"]`)), true);
  });

  it("makes members of __proto__ that change no prototype", () => {
    const value = parse('{"__proto__": {"isAdmin": true}}') as { isAdmin?: boolean };
    assert.deepEqual([value.isAdmin, Object.keys(value)], [undefined, ["__proto__"]]);
  });
});

const read = (bytes: Uint8Array, otherwise?: "windows-1252") =>
  textOf(bytes, { refuse: (why) => new Error(why), otherwise });

/** As the C library's program writes it. */
const iconv = (text: string, encoding: string): Buffer =>
  execFileSync("iconv", ["-f", "UTF-8", "-t", encoding], { input: text });

const lines = "Ünïcode 😀\nsecond\n";

describe("textOf", () => {
  for (const [name, bytes] of Object.entries({
    "UTF-8": Buffer.from(lines),
    "UTF-8 with a byte order mark": Buffer.from(`\ufeff${lines}`),
    "UTF-16 with a byte order mark, as iconv writes it": iconv(lines, "UTF-16"),
    "UTF-16LE with a byte order mark": iconv(`\ufeff${lines}`, "UTF-16LE"),
    "UTF-16BE with a byte order mark": iconv(`\ufeff${lines}`, "UTF-16BE"),
    "lines that end with CR LF": Buffer.from(lines.replaceAll("\n", "\r\n")),
    "lines that end with CR": Buffer.from(lines.replaceAll("\n", "\r")),
  }))
    it(`takes ${name}`, () => assert.equal(read(bytes), lines));

  for (const [name, bytes, reason] of [
    [
      "Latin-1",
      iconv("first\nMüller", "LATIN1"),
      "is not UTF-8, but perhaps Latin-1 or Windows-1252. Save it as UTF-8 (line 2, character 2)",
    ],
    ["bare UTF-16LE", iconv("secret", "UTF-16LE"), "is UTF-16 without a byte order mark. Save it as UTF-8"],
    ["bare UTF-16BE", iconv("secret", "UTF-16BE"), "is UTF-16 without a byte order mark. Save it as UTF-8"],
    ["half a character of UTF-16", Buffer.from([0xff, 0xfe, 0x41]), /^is not UTF-16LE/],
    ["UTF-32", iconv("secret", "UTF-32"), /^has a NUL byte, so it is not text/],
    ["a NUL byte", Buffer.from("one\ntwo\0"), "has a NUL byte, so it is not text (line 2, character 4)"],
    ["a picture", Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a]), "is a picture, and no text"],
    ["a file of gzip", gzipSync("text"), "is compressed by gzip, and no text"],
    ["a workbook", Buffer.from("PK\u0003\u0004…"), /^is a zip file, as spreadsheets/],
  ] as const)
    it(`names ${name}`, () => assert.throws(() => read(bytes), { message: reason }));

  it("takes Windows-1252 only where it is asked to, and no binary file for it", () => {
    assert.equal(read(iconv("Müller", "LATIN1"), "windows-1252"), "Müller");
    assert.throws(() => read(gzipSync("text"), "windows-1252"), { message: /gzip/ });
    assert.throws(() => read(Buffer.from([0xfc, 0x41, 0x41, 0x00]), "windows-1252"), { message: /NUL/ });
  });
});
