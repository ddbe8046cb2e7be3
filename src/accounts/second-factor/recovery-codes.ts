import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { readRecoveryCode } from "./code-texts.ts";

const codesInSet = 10;

/** Bytes of a code: 80 bits, 16 symbols. */
const codeBytes = 10;

/** Crockford's base32: no I, L, O or U, so that a code can be read aloud and typed. otplib has only RFC 4648's. */
const symbols = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** Ten new codes of 80 random bits, as shown to the user once (`K7QM-2F9X-0TRB-5WHD`), and their stored forms in order. */
export function makeRecoveryCodes(): { codes: string[]; hashes: string[] } {
  const codes = Array.from({ length: codesInSet }, () => formatRecoveryCode(randomBytes(codeBytes)));
  return { codes, hashes: codes.map((code) => hashRecoveryCode(code.replaceAll("-", ""))) };
}

/** The shown form of 10 bytes: 16 symbols of 5 bits in four groups of four. */
export function formatRecoveryCode(bytes: Uint8Array): string {
  const bits = BigInt(`0x${Buffer.from(bytes).toString("hex")}`);
  const places = Array.from({ length: 16 }, (_, index) => Number((bits >> BigInt(75 - 5 * index)) & 31n));
  return places
    .map((place) => symbols[place])
    .join("")
    .replace(/.{4}(?!$)/g, "$&-");
}

/**
 * SHA-256 as 64 hex digits, of a code as `readRecoveryCode` returns it. One round is enough: 80 random bits cannot be
 * guessed (2^80 hashes), unlike a password, so salt and slowness would add nothing. The prefix keeps these hashes apart
 * from all others of the agent.
 */
export function hashRecoveryCode(code: string): string {
  return createHash("sha256").update(`steward recovery code 1\0${code}`).digest("hex");
}

/** The index of the typed code among the hashes of unused codes, or -1. It always compares all of them. */
export function findRecoveryCode(hashes: readonly string[], text: string): number {
  const code = readRecoveryCode(text);
  if (code === undefined) return -1;
  const given = Buffer.from(hashRecoveryCode(code));
  let found = -1;
  for (const [index, hash] of hashes.entries()) {
    const stored = Buffer.from(hash);
    if (stored.length === given.length && timingSafeEqual(stored, given)) found = index;
  }
  return found;
}
