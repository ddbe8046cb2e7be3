import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeSecret, otpauthUri } from "../../../src/accounts/second-factor/totp.ts";

/** The ASCII text 12345678901234567890, with which both RFCs test. */
const rfcSecret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

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
    const found = await otpauthUri({ issuer: "Steward edge 7", account: "maria.lopez", secret: rfcSecret });
    assert.equal(
      found,
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
