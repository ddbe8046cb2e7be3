import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { crockfordSymbols, encodeBase32, rfc4648Symbols } from "../../../src/auth/second-factor/base32.ts";

describe("base32 of whole groups", () => {
  const vectors: [string, string, string, string][] = [
    ["RFC 4648 §10", Buffer.from("fooba").toString("hex"), rfc4648Symbols, "MZXW6YTB"],
    [
      "RFC 4226's test secret",
      Buffer.from("12345678901234567890").toString("hex"),
      rfc4648Symbols,
      "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ",
    ],
    [
      "the random half of the ULID specification's example",
      "d6764c61efb99302bd5b",
      crockfordSymbols,
      "TSV4RRFFQ69G5FAV",
    ],
    ["alternating fives, Crockford's first and last symbol", "f83e0f83e0", crockfordSymbols, "Z0Z0Z0Z0"],
    ["10^20, published as 2PQHTY5NHH0000", "00056bc75e2d63100000", crockfordSymbols, "002PQHTY5NHH0000"],
    ["1234, published as 16J", "000004d2".padStart(20, "0"), crockfordSymbols, "000000000000016J"],
    ["nothing", "", crockfordSymbols, ""],
  ];
  for (const [name, hex, symbols, text] of vectors) {
    it(`encodes ${name}`, () => assert.equal(encodeBase32(Buffer.from(hex, "hex"), symbols), text));
  }

  it("refuses bytes that would need padding", () => {
    for (const length of [1, 4, 6, 16]) {
      assert.throws(() => encodeBase32(new Uint8Array(length), rfc4648Symbols), RangeError);
    }
  });
});
