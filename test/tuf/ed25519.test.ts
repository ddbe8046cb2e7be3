import assert from "node:assert/strict";
import { createHash, createPrivateKey, createPublicKey, sign } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import fc from "fast-check";
import nacl from "tweetnacl";
import { runs } from "../../lab/basics/counts.ts";
import { pemOfNewKey } from "../../lab/basics/new-key.ts";
import { useOpenSsl, useTweetnacl } from "../../lab/publisher/quick-ed25519.ts";
import { keyProblem, verifyEd25519 } from "../../src/tuf/ed25519.ts";

interface WycheproofGroup {
  publicKey: { pk: string };
  tests: { tcId: number; comment: string; msg: string; sig: string; result: string }[];
}

/** Reads a file of test/vectors/ed25519, whose sources its README names. */
function vectors(name: string): unknown {
  return JSON.parse(readFileSync(join(import.meta.dirname, "../vectors/ed25519", name), "utf8"));
}

const hex = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, "hex"));

/** L (RFC 8032 §5.1). */
const groupOrder = 2n ** 252n + 27742317777372353535851937790883648493n;

/** Numbers are little-endian. */
const numberOf = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).reverse().toString("hex")}`);
const bytesOf = (number: bigint): Buffer =>
  Buffer.from(number.toString(16).padStart(64, "0"), "hex").reverse();

const message = Buffer.from("signed without a nonce");

/** The first key of RFC 8032 §7.1, and the scalar that it is made of (§5.1.5). */
const known = keyOfSeed("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60");

function keyOfSeed(seed: string): { key: Buffer; scalar: bigint } {
  const der = Buffer.from(`302e020100300506032b657004220420${seed}`, "hex");
  const privateKey = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  const key = Buffer.from(String(createPublicKey(privateKey).export({ format: "jwk" }).x), "base64url");
  const scalar = createHash("sha512").update(Buffer.from(seed, "hex")).digest().subarray(0, 32);
  scalar[0] = (scalar[0] ?? 0) & 248;
  scalar[31] = ((scalar[31] ?? 0) & 63) | 64;
  return { key, scalar: numberOf(scalar) };
}

const neutral = Buffer.from(`01${"00".repeat(31)}`, "hex");

/** The equation as tweetnacl has it: from OpenSSL 3.5 on that refuses points of small order itself. */
function requireEquation(signature: Uint8Array, key: Uint8Array): void {
  const undo = useTweetnacl();
  try {
    assert.equal(nacl.sign.detached.verify(message, signature, key), true, "the equation does not hold");
  } finally {
    undo();
  }
}

for (const [name, take] of [
  ["tweetnacl, as the product has it", useTweetnacl],
  ["OpenSSL, as tests of other things have it", useOpenSsl],
] as const)
  describe(`verifyEd25519 over ${name}`, () => {
    let undo = (): void => undefined;
    before(() => {
      undo = take();
      const { verify } = nacl.sign.detached;
      assert.equal(verify.name === "verifyByOpenSsl", take === useOpenSsl, "the verifier that is tried here");
    });
    after(() => undo());
    verifies();
  });

function verifies(): void {
  it("agrees with all 151 cases of Wycheproof", (test) => {
    const { testGroups } = vectors("wycheproof_ed25519_test.json") as { testGroups: WycheproofGroup[] };
    let cases = 0;
    for (const { publicKey, tests } of testGroups) {
      for (const { tcId, comment, msg, sig, result } of tests) {
        const isTaken = verifyEd25519(hex(publicKey.pk), hex(msg), hex(sig));
        assert.equal(isTaken, result === "valid", `case ${tcId}: ${comment}`);
        cases += 1;
      }
    }
    assert.equal(cases, 151);
    test.diagnostic(`${cases} cases`);
  });

  it("takes the four signatures of RFC 8032 §7.1, and none of them over other words", () => {
    const cases = vectors("rfc8032_ed25519.json") as { pub: string; msg: string; sig: string }[];
    assert.equal(cases.length, 4);
    for (const { pub, msg, sig } of cases) {
      assert.equal(verifyEd25519(hex(pub), hex(msg), hex(sig)), true);
      assert.equal(verifyEd25519(hex(pub), hex(`${msg}00`), hex(sig)), false);
    }
  });

  it("takes none of the 196 pairs of small order, whatever was signed", () => {
    const pairs = vectors("zip215.json") as { vk_bytes: string; sig_bytes: string }[];
    assert.equal(pairs.length, 196);
    for (const { vk_bytes, sig_bytes } of pairs) {
      for (const message of ["Zcash", "", "anything else"]) {
        assert.equal(verifyEd25519(hex(vk_bytes), Buffer.from(message), hex(sig_bytes)), false, vk_bytes);
      }
    }
  });

  it("takes what OpenSSL has signed, and nothing with one bit changed", () => {
    const privateKey = createPrivateKey(pemOfNewKey());
    const key = Buffer.from(String(createPublicKey(privateKey).export({ format: "jwk" }).x), "base64url");
    const bytes = fc.uint8Array({ maxLength: 200 });
    fc.assert(
      fc.property(bytes, fc.nat({ max: 511 }), (message, bit) => {
        const signature = Uint8Array.from(sign(null, message, privateKey));
        assert.equal(verifyEd25519(key, message, signature), true);
        const at = bit >> 3;
        signature[at] = (signature[at] ?? 0) ^ (1 << (bit & 7));
        assert.equal(verifyEd25519(key, message, signature), false);
      }),
      runs({ usual: 10, all: 60 }),
    );
  });

  it("does not take S + L for S, though the equation holds for it", () => {
    const [first] = vectors("rfc8032_ed25519.json") as { pub: string; msg: string; sig: string }[];
    assert.ok(first, "there is a case");
    const s = numberOf(Buffer.from(first.sig.slice(64), "hex")) + groupOrder;
    const more = bytesOf(s).toString("hex");
    assert.equal(verifyEd25519(hex(first.pub), hex(first.msg), hex(first.sig.slice(0, 64) + more)), false);
  });

  it("does not take the neutral point for R, though the equation holds for it", () => {
    const { key, scalar } = known;
    // With R = 0·B, S·B = h·A holds for S = h·a, where a is the key's scalar (RFC 8032 §5.1.5).
    const h = createHash("sha512").update(neutral).update(key).update(message).digest();
    const signature = Buffer.concat([neutral, bytesOf((numberOf(h) * scalar) % groupOrder)]);
    requireEquation(signature, key);
    assert.equal(verifyEd25519(key, message, signature), false);
  });

  it("does not take the neutral point for the key, though the equation holds for it", () => {
    // With A = 0·B, S·B = R holds for every message, where S is the scalar of a point of the forger's own.
    const signature = Buffer.concat([known.key, bytesOf(known.scalar % groupOrder)]);
    requireEquation(signature, neutral);
    assert.equal(verifyEd25519(neutral, message, signature), false);
  });

  it("does not take a signature with a byte more or less", () => {
    const [first] = vectors("rfc8032_ed25519.json") as { pub: string; msg: string; sig: string }[];
    assert.ok(first, "there is a case");
    for (const sig of [`${first.sig}00`, first.sig.slice(0, -2), first.sig.slice(0, 64), ""]) {
      assert.equal(verifyEd25519(hex(first.pub), hex(first.msg), hex(sig)), false, sig);
    }
  });

  it("never throws, whatever bytes come, and takes none of them", () => {
    const bytes = fc.uint8Array({ maxLength: 130 });
    const right = fc.tuple(
      fc.uint8Array({ minLength: 32, maxLength: 32 }),
      bytes,
      fc.uint8Array({ minLength: 64, maxLength: 64 }),
    );
    fc.assert(
      fc.property(fc.oneof(right, fc.tuple(bytes, bytes, bytes)), ([key, message, signature]) => {
        assert.equal(verifyEd25519(key, message, signature), false);
      }),
      runs({ usual: 80, all: 400 }),
    );
  });
}

describe("keyProblem", () => {
  it("finds nothing wrong with good keys, nor with the greatest y below the field's prime and not of small order", () => {
    for (const { pub } of vectors("rfc8032_ed25519.json") as { pub: string }[])
      assert.equal(keyProblem(hex(pub)), null);
    assert.equal(keyProblem(hex(`eb${"ff".repeat(30)}7f`)), null);
    assert.match(keyProblem(hex(`ed${"ff".repeat(30)}7f`)) ?? "", /2\^255/);
  });

  it("refuses each of the keys of small order, in every encoding that there is of it", () => {
    const pairs = vectors("zip215.json") as { vk_bytes: string }[];
    const keys = new Set(pairs.map(({ vk_bytes }) => vk_bytes));
    assert.equal(keys.size, 14);
    for (const key of keys) assert.notEqual(keyProblem(hex(key)), null, key);
  });

  const placeholders: [string, string, RegExp][] = [
    ["all zero", "00".repeat(32), /all zero/],
    ["the neutral point", `01${"00".repeat(31)}`, /neutral point/],
    ["of small order", "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a", /small order/],
    ["not canonical", `ee${"ff".repeat(30)}7f`, /2\^255/],
    ["too short", "aa".repeat(31), /31 bytes/],
    ["too long", "aa".repeat(33), /33 bytes/],
    ["empty", "", /0 bytes/],
  ];
  for (const [name, key, expected] of placeholders) {
    it(`says so of a key that is ${name}`, () => assert.match(keyProblem(hex(key)) ?? "", expected));
  }

  it("never throws, whatever bytes come", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (key) => {
        const problem = keyProblem(key);
        assert.ok(problem === null || problem.length > 0, "it says nothing");
        assert.ok(key.length === 32 || problem !== null, "a key of another length went through");
      }),
      runs({ usual: 80, all: 500 }),
    );
  });
});
