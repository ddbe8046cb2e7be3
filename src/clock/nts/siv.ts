import { createCipheriv, timingSafeEqual } from "node:crypto";

/** Bytes of a block of AES, and so of the tag that precedes each ciphertext. */
const blockBytes = 16;

/**
 * AES-SIV (RFC 5297), which OpenSSL has and Node does not offer: 16 bytes of tag, then as many of ciphertext as of
 * plaintext. A key Uint8Array(32) makes it AEAD_AES_SIV_CMAC_256, one of 64 AEAD_AES_SIV_CMAC_512; throws at another length.
 * `associated` are the components that are authenticated and not encrypted, at most 126 (§7); a nonce is the last (§3).
 */
export function seal(
  key: Uint8Array,
  associated: readonly Uint8Array[],
  plaintext: Uint8Array,
): Uint8Array<ArrayBuffer> {
  const { forTag, forText } = partsOf(key);
  const tag = s2v(forTag, [...associated, plaintext]);
  return joined(tag, crypt(forText, tag, plaintext));
}

/** The plaintext of what `seal` made with the same key and components; null: it is not authentic. */
export function open(
  key: Uint8Array,
  associated: readonly Uint8Array[],
  sealed: Uint8Array,
): Uint8Array | null {
  if (sealed.length < blockBytes) return null;
  const { forTag, forText } = partsOf(key);
  const tag = sealed.subarray(0, blockBytes);
  const plaintext = crypt(forText, tag, sealed.subarray(blockBytes));
  return timingSafeEqual(s2v(forTag, [...associated, plaintext]), tag) ? plaintext : null;
}

/** The part of a key that authenticates, and what is computed from it once: half of the work of a packet. */
interface TagKey {
  readonly key: Uint8Array;
  /** For a message of whole blocks, and for another (RFC 4493 §2.3). */
  readonly subkeys: readonly [whole: Uint8Array, other: Uint8Array];
  /** The CMAC of a block of zeros, with which each vector begins. */
  readonly ofZeros: Uint8Array;
}

interface KeyParts {
  readonly forTag: TagKey;
  readonly forText: Uint8Array;
}

/** By keys whose bytes must not change. */
const knownParts = new WeakMap<Uint8Array, KeyParts>();

/** The first half of a key authenticates, the second encrypts (RFC 5297 §2.6). */
function partsOf(key: Uint8Array): KeyParts {
  const known = knownParts.get(key);
  if (known) return known;
  const half = key.subarray(0, key.length / 2);
  const whole = doubled(cbc(half, new Uint8Array(blockBytes)));
  const forTag: TagKey = { key: half, subkeys: [whole, doubled(whole)], ofZeros: cbc(half, whole) };
  const parts = { forTag, forText: key.subarray(key.length / 2) };
  knownParts.set(key, parts);
  return parts;
}

/** AES in counter mode from the tag on, with two bits cleared for programs that count in 32 bits (§2.5). */
function crypt(key: Uint8Array, tag: Uint8Array, text: Uint8Array): Uint8Array {
  if (text.length === 0) return text;
  const counter = Uint8Array.from(tag);
  for (const index of [8, 12]) counter[index] = (counter[index] ?? 0) & 0x7f;
  return createCipheriv(`aes-${key.length * 8}-ctr`, key, counter).update(text);
}

/** The string-to-vector function of RFC 5297 §2.4; the plaintext is the last part. */
function s2v(key: TagKey, parts: readonly Uint8Array[]): Uint8Array {
  const last = parts.at(-1) ?? new Uint8Array(0);
  let vector = key.ofZeros;
  for (const part of parts.slice(0, -1)) vector = xor(doubled(vector), cmac(key, part));
  if (last.length < blockBytes) return cmac(key, xor(doubled(vector), padded(last)));
  const head = last.subarray(0, last.length - blockBytes);
  return cmac(key, joined(head, xor(last.subarray(head.length), vector)));
}

/** AES-CMAC (RFC 4493): the last block of CBC, with a subkey mixed into the message's end. */
function cmac({ key, subkeys: [whole, other] }: TagKey, message: Uint8Array): Uint8Array {
  const isWhole = message.length > 0 && message.length % blockBytes === 0;
  const head = message.subarray(0, Math.max(0, Math.ceil(message.length / blockBytes) - 1) * blockBytes);
  const tail = message.subarray(head.length);
  const end = isWhole ? xor(tail, whole) : xor(padded(tail), other);
  return cbc(key, joined(head, end)).subarray(-blockBytes);
}

/** AES in CBC mode from a vector of zeros, over whole blocks. */
function cbc(key: Uint8Array, blocks: Uint8Array): Uint8Array {
  const cipher = createCipheriv(`aes-${key.length * 8}-cbc`, key, new Uint8Array(blockBytes));
  return cipher.setAutoPadding(false).update(blocks);
}

/** A block times x in the field of 2^128 elements (RFC 5297 §2.3). */
function doubled(block: Uint8Array): Uint8Array {
  const from = words(block);
  const result = new Uint8Array(blockBytes);
  const to = words(result);
  for (let at = 0; at < blockBytes; at += 4)
    to.setUint32(at, (from.getUint32(at) << 1) | (at === 12 ? 0 : from.getUint32(at + 4) >>> 31));
  // Without a branch, as the block is secret: the bit that fell out is 0 or 1.
  result[blockBytes - 1] = (result[blockBytes - 1] ?? 0) ^ ((from.getUint32(0) >>> 31) * 0x87);
  return result;
}

/** The two blocks, bit by bit. */
function xor(a: Uint8Array, b: Uint8Array): Uint8Array {
  const [left, right] = [words(a), words(b)];
  const result = new Uint8Array(blockBytes);
  const to = words(result);
  for (let at = 0; at < blockBytes; at += 4) to.setUint32(at, left.getUint32(at) ^ right.getUint32(at));
  return result;
}

/** For four steps a block, and no callback for each byte: V8 would optimise one within seconds, which takes 4 MiB. */
function words(block: Uint8Array): DataView {
  return new DataView(block.buffer, block.byteOffset, block.length);
}

/** Less than a block, with the one bit and the zeros that make it one. */
function padded(part: Uint8Array): Uint8Array {
  const block = new Uint8Array(blockBytes);
  block.set(part);
  block[part.length] = 0x80;
  return block;
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(a.length + b.length);
  whole.set(a);
  whole.set(b, a.length);
  return whole;
}
