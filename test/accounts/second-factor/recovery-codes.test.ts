import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { describe, it } from "node:test";
import {
  findRecoveryCode,
  formatRecoveryCode,
  hashRecoveryCode,
  makeRecoveryCodes,
} from "../../../src/accounts/second-factor/recovery-codes.ts";

const shown = /^([0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/;

describe("a set of recovery codes", () => {
  it("is ten codes of 16 of Crockford's symbols, each with its hash", () => {
    const { codes, hashes } = makeRecoveryCodes();
    assert.equal(codes.length, 10);
    assert.equal(hashes.length, 10);
    for (const [index, code] of codes.entries()) {
      assert.match(code, shown);
      assert.equal(hashes[index], hashRecoveryCode(code.replaceAll("-", "")));
      assert.equal(findRecoveryCode(hashes, code), index);
    }
  });

  it("is never the same, and leaves no symbol out", () => {
    const codes = Array.from({ length: 200 }, () => makeRecoveryCodes().codes).flat();
    assert.equal(new Set(codes).size, 2_000);
    assert.equal(new Set(codes.join("")).size, 33);
  });

  it("is stored in nothing that holds a code", () => {
    const { codes, hashes } = makeRecoveryCodes();
    for (const hash of hashes) assert.match(hash, /^[0-9a-f]{64}$/);
    for (const code of codes)
      assert.ok(!hashes.join(" ").toUpperCase().includes(code.replaceAll("-", "")), code);
  });
});

describe("the form of a code", () => {
  const vectors: [string, string][] = [
    ["d6764c61efb99302bd5b", "TSV4-RRFF-Q69G-5FAV"],
    ["00000000000000000000", "0000-0000-0000-0000"],
    ["ffffffffffffffffffff", "ZZZZ-ZZZZ-ZZZZ-ZZZZ"],
    ["f83e0f83e0f83e0f83e0", "Z0Z0-Z0Z0-Z0Z0-Z0Z0"],
    // Published: 10^20 is 2PQHTY5NHH0000, and 1234 is 16J.
    ["00056bc75e2d63100000", "002P-QHTY-5NHH-0000"],
    ["000000000000000004d2", "0000-0000-0000-016J"],
  ];
  for (const [hex, code] of vectors) {
    it(`of ${hex} is ${code}`, () => assert.equal(formatRecoveryCode(Buffer.from(hex, "hex")), code));
  }
});

describe("the hash of a code", () => {
  it("is SHA-256 over a name of its own and the code, as another program computes it", () => {
    const input = Buffer.concat([
      Buffer.from("steward recovery code 1"),
      Buffer.of(0),
      Buffer.from("K7QM2F9X0TRB1WHD"),
    ]);
    const [expected] = execFileSync("sha256sum", { input, encoding: "utf8" }).split(" ");
    assert.equal(hashRecoveryCode("K7QM2F9X0TRB1WHD"), expected);
  });
});

describe("looking for a code", () => {
  const { codes, hashes } = makeRecoveryCodes();

  it("finds none of another set", () => {
    for (const code of makeRecoveryCodes().codes) assert.equal(findRecoveryCode(hashes, code), -1);
  });

  it("finds none that was used and taken out", () => {
    const [first = "", second = ""] = codes;
    assert.equal(findRecoveryCode(hashes.slice(1), first), -1);
    assert.equal(findRecoveryCode(hashes.slice(1), second), 0);
  });

  it("finds nothing in an empty set, and by no part of a hash", () => {
    const [code = ""] = codes;
    assert.equal(findRecoveryCode([], code), -1);
    const parts = hashes.flatMap((hash) => [
      "",
      hash.slice(0, 63),
      `${hash}0`,
      hash.toUpperCase().replace(/\d/g, "A"),
    ]);
    assert.equal(findRecoveryCode(parts, code), -1);
  });

  it("does not take a hash for a code", () => {
    for (const hash of hashes) assert.equal(findRecoveryCode(hashes, hash), -1);
  });
});
