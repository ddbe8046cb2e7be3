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

const hex = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, "hex"));

/** Reads a file of test/vectors/ed25519, whose sources its README names. */
function vectors<T>(name: string): T {
  return JSON.parse(readFileSync(join(import.meta.dirname, "../vectors/ed25519", name), "utf8")) as T;
}

const { testGroups } = vectors<{
  testGroups: {
    publicKey: { pk: string };
    tests: { tcId: number; comment: string; msg: string; sig: string; result: string }[];
  }[];
}>("wycheproof_ed25519_test.json");
const rfc8032 = vectors<{ pub: string; msg: string; sig: string }[]>("rfc8032_ed25519.json");
const smallOrder = vectors<{ vk_bytes: string; sig_bytes: string }[]>("zip215.json");

/** L (RFC 8032 §5.1). */
const groupOrder = 2n ** 252n + 27742317777372353535851937790883648493n;

/** Numbers are little-endian. */
const numberOf = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).reverse().toString("hex")}`);
const bytesOf = (number: bigint): Buffer =>
  Buffer.from(number.toString(16).padStart(64, "0"), "hex").reverse();

const message = Buffer.from("signed without a nonce");
const neutral = Buffer.from(`01${"00".repeat(31)}`, "hex");

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

/** The equation holds, as tweetnacl has it (OpenSSL refuses points of small order from 3.5 on), and yet it is refused. */
function refusedThoughEqual(signature: Uint8Array, key: Uint8Array): void {
  const undo = useTweetnacl();
  try {
    assert.equal(nacl.sign.detached.verify(message, signature, key), true, "the equation does not hold");
  } finally {
    undo();
  }
  assert.equal(verifyEd25519(key, message, signature), false);
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
  it("agrees with all 151 cases of Wycheproof", () => {
    const cases = testGroups.flatMap(({ publicKey: { pk }, tests }) => tests.map((one) => ({ pk, ...one })));
    assert.equal(cases.length, 151);
    for (const { pk, tcId, comment, msg, sig, result } of cases)
      assert.equal(verifyEd25519(hex(pk), hex(msg), hex(sig)), result === "valid", `${tcId}: ${comment}`);
  });

  it("takes the four signatures of RFC 8032 §7.1, none over other words, with S + L for S or of another length", () => {
    assert.equal(rfc8032.length, 4);
    for (const { pub, msg, sig } of rfc8032) {
      assert.equal(verifyEd25519(hex(pub), hex(msg), hex(sig)), true);
      assert.equal(verifyEd25519(hex(pub), hex(`${msg}00`), hex(sig)), false);
      const more = bytesOf(numberOf(hex(sig.slice(64))) + groupOrder).toString("hex");
      for (const other of [sig.slice(0, 64) + more, `${sig}00`, sig.slice(0, -2), sig.slice(0, 64), ""])
        assert.equal(verifyEd25519(hex(pub), hex(msg), hex(other)), false, other);
    }
  });

  it("takes none of the 196 pairs of small order, whatever was signed", () => {
    assert.equal(smallOrder.length, 196);
    for (const { vk_bytes, sig_bytes } of smallOrder)
      for (const words of ["Zcash", "", "anything else"])
        assert.equal(verifyEd25519(hex(vk_bytes), Buffer.from(words), hex(sig_bytes)), false, vk_bytes);
  });

  it("does not take the neutral point for R, though the equation holds for it", () => {
    // With R = 0·B, S·B = h·A holds for S = h·a, where a is the key's scalar (RFC 8032 §5.1.5).
    const h = createHash("sha512").update(neutral).update(known.key).update(message).digest();
    const signature = Buffer.concat([neutral, bytesOf((numberOf(h) * known.scalar) % groupOrder)]);
    refusedThoughEqual(signature, known.key);
  });

  it("does not take the neutral point for the key, though the equation holds for it", () => {
    // With A = 0·B, S·B = R holds for every message, where S is the scalar of a point of the forger's own.
    refusedThoughEqual(Buffer.concat([known.key, bytesOf(known.scalar % groupOrder)]), neutral);
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

  it("never throws, whatever bytes come, and takes none of them", () => {
    const any = fc.uint8Array({ maxLength: 130 });
    const of = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
    fc.assert(
      fc.property(
        fc.oneof(fc.tuple(of(32), any, of(64)), fc.tuple(any, any, any)),
        ([key, message, signature]) => assert.equal(verifyEd25519(key, message, signature), false),
      ),
      runs({ usual: 80, all: 400 }),
    );
  });
}

describe("keyProblem", () => {
  it("finds nothing wrong with a good key, nor with the greatest y below the prime that is not of small order", () => {
    for (const key of [...rfc8032.map(({ pub }) => pub), `eb${"ff".repeat(30)}7f`])
      assert.equal(keyProblem(hex(key)), null);
  });

  it("refuses each of the keys of small order, in every encoding that there is of it", () => {
    const keys = new Set(smallOrder.map(({ vk_bytes }) => vk_bytes));
    assert.equal(keys.size, 14);
    for (const key of keys) assert.notEqual(keyProblem(hex(key)), null, key);
  });

  for (const [name, key, expected] of [
    ["all zero", "00".repeat(32), /all zero/],
    ["the neutral point", `01${"00".repeat(31)}`, /neutral point/],
    ["of small order", "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a", /small order/],
    ["the field's prime", `ed${"ff".repeat(30)}7f`, /2\^255/],
    ["not canonical", `ee${"ff".repeat(30)}7f`, /2\^255/],
    ["too short", "aa".repeat(31), /31 bytes/],
    ["too long", "aa".repeat(33), /33 bytes/],
    ["empty", "", /0 bytes/],
  ] as const)
    it(`says so of a key that is ${name}`, () => assert.match(keyProblem(hex(key)) ?? "", expected));
});
