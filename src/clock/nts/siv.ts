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
  const [forTag, forText] = halves(key);
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
  const [forTag, forText] = halves(key);
  const tag = sealed.subarray(0, blockBytes);
  const plaintext = crypt(forText, tag, sealed.subarray(blockBytes));
  return timingSafeEqual(s2v(forTag, [...associated, plaintext]), tag) ? plaintext : null;
}

/** The first half of a key authenticates, the second encrypts (RFC 5297 §2.6). */
function halves(key: Uint8Array): [Uint8Array, Uint8Array] {
  return [key.subarray(0, key.length / 2), key.subarray(key.length / 2)];
}

/** AES in counter mode from the tag on, with two bits cleared for programs that count in 32 bits (§2.5). */
function crypt(key: Uint8Array, tag: Uint8Array, text: Uint8Array): Uint8Array {
  const counter = Uint8Array.from(tag);
  for (const index of [8, 12]) counter[index] = (counter[index] ?? 0) & 0x7f;
  return createCipheriv(`aes-${key.length * 8}-ctr`, key, counter).update(text);
}

/** The string-to-vector function of RFC 5297 §2.4; the plaintext is the last part. */
function s2v(key: Uint8Array, parts: readonly Uint8Array[]): Uint8Array {
  const last = parts.at(-1) ?? new Uint8Array(0);
  let vector = cmac(key, new Uint8Array(blockBytes));
  for (const part of parts.slice(0, -1)) vector = xor(doubled(vector), cmac(key, part));
  if (last.length < blockBytes) return cmac(key, xor(doubled(vector), padded(last)));
  const head = last.subarray(0, last.length - blockBytes);
  return cmac(key, joined(head, xor(last.subarray(head.length), vector)));
}

/** AES-CMAC (RFC 4493): the last block of CBC, with a subkey mixed into the message's end. */
function cmac(key: Uint8Array, message: Uint8Array): Uint8Array {
  const subkey = doubled(cbc(key, new Uint8Array(blockBytes)));
  const isWhole = message.length > 0 && message.length % blockBytes === 0;
  const head = message.subarray(0, Math.max(0, Math.ceil(message.length / blockBytes) - 1) * blockBytes);
  const tail = message.subarray(head.length);
  const end = isWhole ? xor(tail, subkey) : xor(padded(tail), doubled(subkey));
  return cbc(key, joined(head, end)).subarray(-blockBytes);
}

/** AES in CBC mode from a vector of zeros, over whole blocks. */
function cbc(key: Uint8Array, blocks: Uint8Array): Uint8Array {
  const cipher = createCipheriv(`aes-${key.length * 8}-cbc`, key, new Uint8Array(blockBytes));
  return cipher.setAutoPadding(false).update(blocks);
}

/** A block times x in the field of 2^128 elements (RFC 5297 §2.3). */
function doubled(block: Uint8Array): Uint8Array {
  const shifted = block.map((byte, index) => (byte << 1) | ((block[index + 1] ?? 0) >> 7));
  // Without a branch, as the block is secret: the bit that fell out is 0 or 1.
  const carry = (block[0] ?? 0) >> 7;
  shifted[blockBytes - 1] = (shifted[blockBytes - 1] ?? 0) ^ (carry * 0x87);
  return shifted;
}

function xor(a: Uint8Array, b: Uint8Array): Uint8Array {
  return a.map((byte, index) => byte ^ (b[index] ?? 0));
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
