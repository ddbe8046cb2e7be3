import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { textOf } from "../../../src/contract/text/text-of.ts";

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
    ["UTF-32", iconv("secret", "UTF-32"), /^has a NUL byte, so it is no text/],
    ["a NUL byte", Buffer.from("one\ntwo\0"), "has a NUL byte, so it is no text (line 2, character 4)"],
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
