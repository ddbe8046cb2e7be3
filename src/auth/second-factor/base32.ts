/** RFC 4648 §6: what authenticator apps read. */
export const rfc4648Symbols = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Crockford's: no I, L, O or U, so that a code can be read aloud and typed. */
export const crockfordSymbols = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** Encodes whole groups of 5 bytes as 8 symbols each, so that there is never padding. Throws RangeError. */
export function encodeBase32(bytes: Uint8Array, symbols: string): string {
  if (bytes.length % 5 !== 0) throw new RangeError(`${bytes.length} bytes are no whole groups of 5`);
  let text = "";
  let bits = 0;
  let bitCount = 0;
  for (const byte of bytes) {
    bits = (bits << 8) | byte;
    for (bitCount += 8; bitCount >= 5; bitCount -= 5) text += symbols[(bits >>> (bitCount - 5)) & 31];
    // What is left is less than 5 bits: the number never outgrows 12.
    bits &= 31;
  }
  return text;
}
