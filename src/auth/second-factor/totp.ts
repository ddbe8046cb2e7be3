import { randomBytes, timingSafeEqual } from "node:crypto";
import { StewardError } from "../../contract/errors.ts";
import { encodeBase32, rfc4648Symbols } from "./base32.ts";
import { withoutBlanks } from "./blanks.ts";

/** Seconds of a time step, RFC 6238 §4.1 (X); the one that every authenticator app knows. */
const stepSeconds = 30;

/** Digits of a code; likewise. */
const codeDigits = 6;

/** Bytes of a secret: 160 bits, the length that RFC 4226 §4 (R6) recommends. */
const secretBytes = 20;

/** Characters beyond which nothing is a code, however many blanks are in it. */
const longestInput = 32;

/** Steps to either side of now whose codes are accepted. */
export const acceptedStepsAround = 1;

/** Steps to either side of now, 10 min, among which the code of a wrong clock is looked for; never to accept it. */
export const searchedStepsAround = 20;

/** A new secret of 160 random bits in base32, 32 characters. */
export function makeSecret(): string {
  return encodeBase32(randomBytes(secretBytes), rfc4648Symbols);
}

export interface Enrolment {
  /** Who asks for the code: the product or the device. */
  issuer: string;
  /** The name of the user. */
  account: string;
  /** Base32. */
  secret: string;
}

/**
 * What an authenticator app reads from the QR code, in the Key URI format: `otpauth://totp/issuer:account?…`. A colon
 * parts the label, so one inside a name becomes a blank.
 */
export function otpauthUri({ issuer, account, secret }: Enrolment): string {
  const [escapedIssuer, escapedAccount] = [escapeName(issuer), escapeName(account)];
  // Not URLSearchParams: apps show its `+` for a blank as it stands.
  return (
    `otpauth://totp/${escapedIssuer}:${escapedAccount}?secret=${secret}&issuer=${escapedIssuer}` +
    `&algorithm=SHA1&digits=${codeDigits}&period=${stepSeconds}`
  );
}

/** The code that somebody typed or pasted, without blanks and a hyphen in its middle; undefined when it is none. */
export function readCode(text: string): string | undefined {
  if (text.length > longestInput) return undefined;
  const code = /^([0-9]{3})-?([0-9]{3})$/.exec(withoutBlanks(text));
  return code ? `${code[1]}${code[2]}` : undefined;
}

/** The time step that a time lies in, RFC 6238 §4.2. Throws RangeError for what is no time. */
export function stepOf(atSeconds: number): number {
  const step = Math.floor(atSeconds / stepSeconds);
  if (!Number.isSafeInteger(step)) throw new RangeError(`${atSeconds} is no time in seconds`);
  return step;
}

/** The second at which a step begins. */
export function secondsOfStep(step: number): number {
  return step * stepSeconds;
}

/**
 * Every step within `stepsAround` of the time whose code this is, nearest first, of two alike the earlier. More than
 * one is rare and possible: whoever accepts one marks the others as burnt, or the code works twice.
 *
 * The work depends on time and width alone, never on the code. `code` is as `readCode` gives it; anything else matches
 * nothing. Throws `second_factor_unavailable` when the secret is no base32 of 16 to 64 bytes.
 */
export async function matchSteps(
  secret: string,
  code: string,
  atSeconds: number,
  stepsAround: number,
): Promise<number[]> {
  const codeAt = await createCodes(secret);
  const given = Buffer.from(code);
  return stepsNear(stepOf(atSeconds), stepsAround).filter((step) => {
    const expected = Buffer.from(codeAt(step));
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

/** Nearest first. There are no steps before 1970: otplib would throw. */
function stepsNear(middle: number, stepsAround: number): number[] {
  const steps = [middle];
  for (let distance = 1; distance <= stepsAround; distance += 1) {
    steps.push(middle - distance, middle + distance);
  }
  return steps.filter((step) => step >= 0);
}

/** otplib behind one function. Its own `verify` stops at the first match and throws for half of what people type. */
async function createCodes(secret: string): Promise<(step: number) => string> {
  // Loaded at the first use, and only the part without classes: an idle agent need not hold it.
  const { generateSync } = await import("otplib/functional");
  return (step) => {
    try {
      return generateSync({
        secret,
        strategy: "totp",
        algorithm: "sha1",
        digits: codeDigits,
        period: stepSeconds,
        epoch: secondsOfStep(step),
      });
    } catch (cause) {
      throw new StewardError(
        "second_factor_unavailable",
        "The stored two-factor secret cannot be used, so codes cannot be checked. " +
          "Sign in with a recovery code, or as root run `steward user rescue NAME`; then set two-factor up again.",
        { cause },
      );
    }
  };
}

function escapeName(name: string): string {
  // Half of a surrogate pair, which JSON can carry, would make encodeURIComponent throw.
  return encodeURIComponent(name.replaceAll(":", " ").replace(/\p{Surrogate}/gu, "\ufffd"));
}
