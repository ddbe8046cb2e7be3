import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/**
 * Bytes of a token: session id, generation (big-endian), random, HMAC-SHA-256 over all of these. A copy of the stored
 * key and hash does not contain the random bytes. The MAC tells an old token from an invented one, without a list of
 * the tokens that were issued.
 */
const bytes = { session: 16, generation: 4, random: 16, mac: 32 } as const;
const generationAt = bytes.session;
const randomAt = generationAt + bytes.generation;
const macAt = randomAt + bytes.random;
const tokenBytes = macAt + bytes.mac;

const prefix = "str_";
const sessionPrefix = "ses_";

export function newRefreshKey(): string {
  return randomBytes(32).toString("hex");
}

export function makeRefreshToken(
  key: string,
  /** `ses_` and 32 hexadecimal digits. */
  sessionId: string,
  generation: number,
): string {
  const body = Buffer.concat([
    Buffer.from(sessionId.slice(sessionPrefix.length), "hex"),
    Buffer.alloc(bytes.generation),
    randomBytes(bytes.random),
  ]);
  body.writeUInt32BE(generation, generationAt);
  return textOf(Buffer.concat([body, macOf(key, body)]));
}

/** Undefined for a text of another form. */
export function readRefreshToken(token: string) {
  const read = Buffer.from(token.slice(prefix.length), "base64url");
  // base64url has several texts for some bytes; only the issued one is a token.
  if (read.length !== tokenBytes || textOf(read) !== token) return undefined;
  const body = read.subarray(0, macAt);
  return {
    sessionId: sessionPrefix + read.toString("hex", 0, bytes.session),
    generation: read.readUInt32BE(generationAt),
    /** True if this agent made it: compares the MAC in constant time. `key` is in hexadecimal. */
    isSignedWith: (key: string): boolean => timingSafeEqual(macOf(key, body), read.subarray(macAt)),
  };
}

/** SHA-256 in hexadecimal: the stored form of a token, and of the value that belongs to a cookie. */
export function hashOfToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

function macOf(key: string, body: Buffer): Buffer {
  return createHmac("sha256", Buffer.from(key, "hex")).update(body).digest();
}

function textOf(token: Buffer): string {
  return prefix + token.toString("base64url");
}
