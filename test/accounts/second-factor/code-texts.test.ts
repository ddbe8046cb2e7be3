import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { describe, it } from "node:test";
import fc from "fast-check";
import { codePoint } from "../../../lab/basics/code-point.ts";
import {
  codeFaults,
  readCode,
  readRecoveryCode,
  readToken,
} from "../../../src/accounts/second-factor/code-texts.ts";
import { findRecoveryCode, hashRecoveryCode } from "../../../src/accounts/second-factor/recovery-codes.ts";

/** Texts by the code that is meant; "": none is. */
type Table = Readonly<Record<string, readonly string[]>>;

function describeTable(title: string, read: (text: string) => string | undefined, table: Table): void {
  describe(title, () => {
    for (const [meant, texts] of Object.entries(table))
      for (const text of texts) {
        const shown = JSON.stringify(text.length > 60 ? `${text.slice(0, 9)}… of ${text.length}` : text);
        it(`${shown} is ${meant || "none"}`, () => assert.equal(read(text) ?? "", meant));
      }
  });
}

const inScript = (digits: string, zero: number) =>
  digits.replace(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)));

/** The zeros of Arabic, Persian, N'Ko, Devanagari, Bengali, Thai, Myanmar, Khmer, full-width, bold, Adlam. */
const zeros = [0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xe50, 0x1040, 0x17e0, 0xff10, 0x1d7ce, 0x1e950];

describeTable("a code of an authenticator", readCode, {
  "755224": [
    ...["755224", "755 224", "755-224", " 755224\n", "7 5 5 2 2 4", "755 - 224", "\t755224\r\n", "75-5224"],
    ...["755\u00a0224", "755\u2009224", "755\u202f224", "755\u3000224", "755\u200b224", "\ufeff755224\u2060"],
    ...["755\u2010224", "755\u2011224", "755\u2013224", "755 \u2014 224", "755\u2212224", "755\u00ad224"],
    ...["\u200e755224\u200f", "\u202a755 224\u202c", "7\ufe0f5\ufe0f5\ufe0f2\ufe0f2\ufe0f4\ufe0f"],
    ...["755224.", "Your code is 755224.", "Code: 755 224 (good for 30 s)", "G-755224 is your code"],
    ...["„755224“"],
    ...["755224 is your code. It ends in 10 minutes.", "<755224>", "*755224*", "-755224", "+755224"],
    ...["755224-"],
    ...[
      "Ihr Code lautet: 755224",
      "確認コードは755224".replace("は", "は "),
      "755224\u0000",
      "755224, 755 224",
    ],
    ...zeros.map((zero) => inScript("755224", zero)),
    ...zeros.map((zero) => inScript("755 224", zero)),
  ],
  "007081": ["007 081", "٠٠٧٠٨١", "００７−０８１"],
  "": [
    ...["", " ", "-", "75522", "7552244", "755224 1", "755.224", "7.5e5", "0x7552", "1e5000", "75522O"],
    ...["abcdef"],
    ...["755224 and 081804", "755224\n755224", "2026-11-29 755224", "755\u0000224", "a755224", "755224b"],
    ...["K7QM-2F9X-0TRB-1WHD", "GEZDGNBVGY3TQOJQ", "seven quiet owls", "Ⅶ55224"],
    ...[`755224${" ".repeat(300)}`, "7".repeat(5_000_000), " ".repeat(5_000_000)],
  ],
});

const code = "K7QM2F9X0TRB1WHD";
describeTable("a recovery code", readRecoveryCode, {
  [code]: [
    ...["K7QM-2F9X-0TRB-1WHD", "k7qm-2f9x-0trb-1whd", code, "K7QM 2F9X 0TRB 1WHD", " k7qm2f9x-0trb1whd \r\n"],
    ...["K7QM\u00a02F9X\u202f0TRB\u20091WHD", "K7-QM-2F-9X-0T-RB-1W-HD", "K7QM\u200b-2F9X-0TRB-1WHD"],
    ...[
      "K7QM-2F9X-OTRB-IWHD",
      "k7qm-2f9x-otrb-lwhd",
      "K7QM-2F9X-oTRB-iWHD",
      "Ｋ７ＱＭ－２Ｆ９Ｘ－０ＴＲＢ－１ＷＨＤ",
    ],
    ...["K7QM–2F9X–0TRB–1WHD", "K7QM—2F9X—0TRB—1WHD", "K7QM−2F9X−0TRB−1WHD", "K7QM - 2F9X - 0TRB - 1WHD"],
    ...["1. K7QM-2F9X-0TRB-1WHD", "10) K7QM 2F9X 0TRB 1WHD", "3: k7qm2f9x0trb1whd", "• K7QM-2F9X-0TRB-1WHD"],
    ...["K7QM-2F9X-0TRB-1WHD.", "“K7QM-2F9X-0TRB-1WHD”", "„K7QM–2F9X–0TRB–1WHD“.", "'K7QM 2F9X 0TRB 1WHD',"],
    ...["Recovery code: K7QM-2F9X-0TRB-1WHD (unused)", "code - K7QM-2F9X-0TRB-1WHD - keep it"],
    ...["K7QM-2F9X-0TRB-1WHD\u0000", "1 K7QM-2F9X-0TRB-1WHD"],
  ],
  "": [
    ...["", "-", "K7QM-2F9X-0TRB-1WH", "K7QM-2F9X-0TRB-1WHD5", "U7QM-2F9X-0TRB-1WHD", "К7QM-2F9X-0TRB-1WHD"],
    ...["K7QM_2F9X_0TRB_1WHD", "K7QM.2F9X.0TRB.1WHD", "K7QM-2F9X-0TRB-ıWHD", "K7QM-2F9X-0TRB-1WH*D"],
    ...["K7QM-2F9X-0TRB-1WHD-K7QM", "K7QM-2F9X-0TRB-1WHD K7QM-2F9X-0TRB-1WHE", "755224", "seven quiet owls"],
    ...[`K7QM-2F9X-0TRB-1WHD${" ".repeat(300)}`, "K".repeat(5_000_000), "-".repeat(5_000_000)],
  ],
});

const setupToken = "-f3_Zk9QwE7xYt2LmN8a_-";
describeTable("a token of the device's terminal", readToken, {
  [setupToken]: [setupToken, ` ${setupToken}\n`, `“${setupToken}”.`, `\ufeff${setupToken}\r\n`],
  "k7qm2-f9x0t-rb1wh-d5v3n": [
    ...["k7qm2-f9x0t-rb1wh-d5v3n", "K7QM2-F9X0T-RB1WH-D5V3N", "k7qm2–f9x0t–rb1wh–d5v3n"],
    ...["k7qm2 f9x0t rb1wh d5v3n."],
    ...["Token: k7qm2-f9x0t-rb1wh-d5v3n", "k7qm2\u2011f9x0t\u2011rb1wh\u2011d5v3n\u200b"],
    ...["“K7qm2-f9x0t-rb1wh-d5v3n”"],
  ],
});

describe("a text with a code", () => {
  it("gives six digits, 16 symbols, or nothing, whatever comes", () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint, maxLength: 80 }), (text) => {
        assert.match(readCode(text) ?? "000000", /^[0-9]{6}$/);
        assert.match(readRecoveryCode(text) ?? "0".repeat(16), /^[0-9A-HJKMNP-TV-Z]{16}$/);
      }),
    );
  });

  it("has each decimal digit that Unicode knows, by Python's reckoning", () => {
    const script = `import sys, unicodedata
for point in range(0x110000):
    if unicodedata.category(chr(point)) == "Nd": print(point, unicodedata.digit(chr(point)))`;
    const lines = execFileSync("python3", ["-c", script], { encoding: "utf8" }).trim().split("\n");
    assert.ok(lines.length > 600, `${lines.length}`);
    for (const line of lines) {
      const [point = 0, digit = 0] = line.split(" ").map(Number);
      assert.equal(readCode(String.fromCodePoint(point).repeat(6)), `${digit}`.repeat(6), line);
    }
  });

  it("is found among the hashes however it is written, and no other text is", () => {
    const hashes = [hashRecoveryCode(code)];
    assert.equal(findRecoveryCode(hashes, "1. k7qm–2f9x–0trb–1whd."), 0);
    for (const text of ["755224", "", hashes[0] ?? ""]) assert.equal(findRecoveryCode(hashes, text), -1);
  });
});

describe("an entry that is no code at all", () => {
  const faults = (given: Parameters<typeof codeFaults>[0]) =>
    codeFaults(given).map(({ pointer, code: kind, detail }) => `${pointer} ${kind} ${detail}`);
  const [is, sent] = ["is a recovery code: send it as `recovery_code`", "is a code: send it as `code`"];

  it("is named, and what it looks like", () => {
    assert.deepEqual(faults({ code: "1. K7QM–2F9X–0TRB–1WHD" }), [`/code no_code ${is}`]);
    assert.deepEqual(faults({ recovery_code: "755 224" }), [`/recovery_code no_recovery_code ${sent}`]);
    for (const text of ["", "75522", "seven quiet owls"]) {
      assert.match(faults({ code: text })[0] ?? "", /^\/code no_code must be the six digits/);
      const found = faults({ recovery_code: text })[0] ?? "";
      assert.match(found, /^\/recovery_code no_recovery_code must be .* 16 /);
    }
  });
  it("is none where a code is, nothing, or a passkey that counts in its place", () => {
    for (const given of [{}, { code: "755224" }, { recovery_code: code }, { code: "none", passkey: {} }])
      assert.deepEqual(faults(given), []);
  });
});
