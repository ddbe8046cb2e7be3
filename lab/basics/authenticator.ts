import { createHmac } from "node:crypto";

/** Seconds that a code is shown, RFC 6238's default. */
const stepSeconds = 30;

/** RFC 4648, without padding. */
function fromBase32(text: string): Buffer {
  const bits = [...text].map((symbol) =>
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(symbol).toString(2).padStart(5, "0"),
  );
  const bytes = bits.join("").match(/.{8}/g) ?? [];
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)));
}

/**
 * The code that an authenticator shows, `atSeconds` since 1970 or now: RFC 6238 by the arithmetic of its section 1.2 and
 * RFC 4226's 5.3. A test holds it to oathtool, whose process for each code took most of the time of those that sign in.
 */
export function codeOf(secret: string, atSeconds = Date.now() / 1_000): string {
  const step = Buffer.alloc(8);
  step.writeBigUInt64BE(BigInt(Math.floor(atSeconds / stepSeconds)));
  const digest = createHmac("sha1", fromBase32(secret)).update(step).digest();
  const truncated = digest.readUInt32BE((digest.at(-1) ?? 0) & 0xf) & 0x7fffffff;
  return String(truncated % 1_000_000).padStart(6, "0");
}

/**
 * The code of so many steps from now by this machine's clock: 0 or more, so that it is good for half a minute at least,
 * however late it arrives. A test with an agent in its process stops the time, and takes the codes of that time.
 */
export function codeNear(secret: string, steps: number): string {
  return codeOf(secret, Date.now() / 1_000 + steps * stepSeconds);
}

/** A code that is right at no time within ten minutes of now, nor in the ten after them. */
export function wrongCodeOf(secret: string): string {
  const begin = Date.now() / 1_000 - 600;
  const codes = Array.from({ length: 61 }, (_, step) => codeOf(secret, begin + step * stepSeconds));
  const wrong = ["271828", "314159", "161803", "141421"].find((code) => !codes.includes(code));
  if (wrong === undefined) throw new Error("four codes in a row that are right");
  return wrong;
}
