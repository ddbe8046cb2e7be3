import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { codePoint } from "../../../lab/basics/code-point.ts";
import { makeSecret, otpauthUri, readCode } from "../../../src/auth/second-factor/totp.ts";

/** The ASCII text 12345678901234567890, with which both RFCs test. */
const rfcSecret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

describe("a code as it is typed", () => {
  const good = [
    "755224",
    "755 224",
    "755-224",
    " 755224\n",
    "755\u00a0224",
    "755\u2009224",
    "755\u202f224",
    "7 5 5 2 2 4",
    "755 - 224",
    "\t755224\r\n",
  ];
  for (const text of good) {
    it(`${JSON.stringify(text)} is read`, () => assert.equal(readCode(text), "755224"));
  }

  it("keeps its leading zeros", () => assert.equal(readCode("007 081"), "007081"));

  const bad = [
    "",
    " ",
    "-",
    "75522",
    "7552244",
    "755--224",
    "75-5224",
    "-755224",
    "755224-",
    "+755224",
    "755.224",
    "7.5e5",
    "0x7552",
    "1e5000",
    "75522O",
    "７５５２２４",
    "٧٥٥٢٢٤",
    "755\u0000224",
    "755224\u0000",
    "755\u2013224",
    "755\u200b224",
    "755224\n755224",
    `755224${" ".repeat(100)}`,
    "7".repeat(5_000_000),
    " ".repeat(5_000_000),
  ];
  for (const text of bad) {
    const name =
      text.length > 40
        ? `${JSON.stringify(text.slice(0, 9))} and ${text.length - 9} more`
        : JSON.stringify(text);
    it(`${name} is none`, () => assert.equal(readCode(text), undefined));
  }

  it("is six ASCII digits or nothing, whatever comes", () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint, maxLength: 40 }), (text) => {
        const code = readCode(text);
        assert.ok(code === undefined || /^[0-9]{6}$/.test(code), `${JSON.stringify(text)}: ${code}`);
      }),
    );
  });
});

describe("a new secret", () => {
  it("is 160 random bits in base32, and never the same", async () => {
    const secrets = await Promise.all(Array.from({ length: 500 }, makeSecret));
    for (const secret of secrets) assert.match(secret, /^[A-Z2-7]{32}$/);
    assert.equal(new Set(secrets).size, 500);
    // Each of 500 × 32 places holds each symbol 500 times on average: none is left out.
    assert.equal(new Set(secrets.join("")).size, 32);
  });
});

describe("the URI for the app", () => {
  it("is in the Key URI format", async () => {
    assert.equal(
      await otpauthUri({ issuer: "Steward edge 7", account: "maria.lopez", secret: rfcSecret }),
      `otpauth://totp/Steward%20edge%207:maria.lopez?secret=${rfcSecret}&issuer=Steward%20edge%207`,
    );
  });

  const names: [string, string, string][] = [
    ["a colon, which parts the label", "rack:4", "rack 4"],
    ["what parts a URI", "a/b?c&d=e#f%20+", "a/b?c&d=e#f%20+"],
    ["other letters", "Büro Ⅶ 東京", "Büro Ⅶ 東京"],
    ["half a surrogate pair", "edge\ud83d", "edge\ufffd"],
    ["a whole one", "edge\u{1f600}", "edge\u{1f600}"],
  ];
  for (const [name, issuer, shown] of names) {
    it(`keeps ${name}, in the issuer`, async () => {
      const uri = await otpauthUri({ issuer, account: "maria", secret: rfcSecret });
      const url = new URL(uri);
      assert.match(uri, /^[!-~]+$/);
      assert.equal(url.host, "totp");
      assert.equal(decodeURIComponent(url.pathname), `/${shown}:maria`);
      assert.deepEqual(
        [...url.searchParams],
        [
          ["secret", rfcSecret],
          ["issuer", shown],
        ],
      );
    });
  }
});
