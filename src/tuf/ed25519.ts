import { createPublicKey, verify } from "node:crypto";
import nacl from "tweetnacl";

/**
 * Ed25519 (RFC 8032), strictly. tweetnacl itself throws on wrong lengths, accepts S + L for S, and accepts keys under
 * which everyone can sign. Compared numbers are little-endian.
 */

/** True if `signature` (64 bytes) is over `message` by the key of `publicKey` (32 bytes). Never throws. */
export function verifyEd25519(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (signature.length !== nacl.sign.signatureLength || keyProblem(publicKey) !== null) return false;
  const r = signature.subarray(0, 32);
  const s = signature.subarray(32);
  // RFC 8032 §5.1.7: S is in [0, L), R is a point in its canonical encoding, and not one that a forger may choose
  // without a key.
  if (!isBelow(s, groupOrder) || pointProblem(r) !== null) return false;
  if (message.length <= mostBytes) return nacl.sign.detached.verify(message, signature, publicKey);
  const x = Buffer.from(publicKey).toString("base64url");
  const key = createPublicKey({ format: "jwk", key: { kty: "OKP", crv: "Ed25519", x } });
  return verify(null, message, key, signature);
}

/** Bytes of a message for tweetnacl, which takes 50 ms for a megabyte, in one turn of the event loop: OpenSSL takes 3. */
const mostBytes = 65_536;

/** The reason why this cannot be a key with which only its owner signs; null: there is none. */
export function keyProblem(publicKey: Uint8Array): string | null {
  if (publicKey.length !== nacl.sign.publicKeyLength) return `has ${publicKey.length} bytes instead of 32`;
  if (publicKey.every((byte) => byte === 0)) return "is all zero: a placeholder instead of a key";
  return pointProblem(publicKey);
}

function pointProblem(point: Uint8Array): string | null {
  const y = Uint8Array.from(point);
  y[31] = (y[31] ?? 0) & 0x7f;
  if (!isBelow(y, fieldPrime)) return "is not in the one form that a key has (y is not below 2^255 − 19)";
  if (isEqual(y, identity)) return "is the neutral point: every message would verify under it";
  if (smallOrder.some((bad) => isEqual(y, bad))) return "is a point of small order: everyone can sign for it";
  return null;
}

/** 2^255 − 19 (RFC 8032 §5.1). */
const fieldPrime = number("edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f");
/** L, the order of the base point (RFC 8032 §5.1). */
const groupOrder = number("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010");
const identity = number("0100000000000000000000000000000000000000000000000000000000000000");
/** The y of the seven other points whose order divides 8; x and −x share one. */
const smallOrder = [
  number("0000000000000000000000000000000000000000000000000000000000000000"),
  number("ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"),
  number("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"),
  number("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"),
];

function isBelow(left: Uint8Array, right: Uint8Array): boolean {
  return Buffer.from(left).reverse().compare(Buffer.from(right).reverse()) < 0;
}

function isEqual(left: Uint8Array, right: Uint8Array): boolean {
  return left.every((byte, index) => byte === right[index]);
}

function number(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex, "hex"));
}
