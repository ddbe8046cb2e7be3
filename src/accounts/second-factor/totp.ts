import { StewardError } from "../../contract/errors.ts";

/** Seconds of a time step, RFC 6238 §4.1 (X); every authenticator app knows this one. */
const stepSeconds = 30;

/** Digits of a code; every authenticator app knows this number. */
const codeDigits = 6;

const codeForm = /^[0-9]{6}$/;

/** Steps to either side of now whose codes are accepted. */
export const acceptedStepsAround = 1;

/** Steps to either side of now, 10 min, in which a code of a wrong clock is looked for; none of them is accepted. */
export const searchedStepsAround = 20;

/** Loaded at the first use, and only the part without classes, so that an idle agent does not hold it. */
const loadOtplib = () => import("otplib/functional");

/** A new secret of 160 random bits, the length that RFC 4226 §4 (R6) recommends, in base32: 32 characters. */
export async function makeSecret(): Promise<string> {
  const { generateSecret } = await loadOtplib();
  return generateSecret();
}

/**
 * The text of the QR code, in the Key URI format: `otpauth://totp/issuer:account?…`. Algorithm, digits and period are
 * the format's defaults, so they are left out. `issuer`: the product or the device; `account`: the name of the user;
 * `secret`: in base32.
 */
export async function otpauthUri(of: { issuer: string; account: string; secret: string }): Promise<string> {
  const { generateURI } = await loadOtplib();
  return generateURI({ issuer: plainName(of.issuer), label: plainName(of.account), secret: of.secret });
}

/** The time step of a time, RFC 6238 §4.2. Throws RangeError for a value that is not a time. */
export function stepOf(atSeconds: number): number {
  const step = Math.floor(atSeconds / stepSeconds);
  if (!Number.isSafeInteger(step)) throw new RangeError(`${atSeconds} is not a time in seconds`);
  return step;
}

/** The second at which a step begins. */
export function secondsOfStep(step: number): number {
  return step * stepSeconds;
}

/**
 * Every step within `stepsAround` of the time that has this code, nearest first, the earlier of two alike. More than
 * one is rare and possible: a caller who accepts one must mark the others as used, or the code works twice. The work
 * depends only on time and width, never on the code. A code that `readCode` would not return matches nothing. Throws
 * `second_factor_unavailable` if the secret is not base32 of 16 to 64 bytes.
 */
export async function matchSteps(
  secret: string,
  code: string,
  atSeconds: number,
  stepsAround: number,
): Promise<number[]> {
  const steps = stepsNear(stepOf(atSeconds), stepsAround);
  const isCodeOf = await createVerifier(secret);
  return codeForm.test(code) ? steps.filter((step) => isCodeOf(code, step)) : [];
}

/** The steps, nearest first. There are none before 1970: otplib would throw. */
function stepsNear(middle: number, stepsAround: number): number[] {
  const steps = [middle];
  for (let distance = 1; distance <= stepsAround; distance += 1) {
    steps.push(middle - distance, middle + distance);
  }
  return steps.filter((step) => step >= 0);
}

/**
 * otplib verifies a code against one step at a time. Its search through a window (`epochTolerance`) is not used: it
 * ends at the first match, so its duration reveals the step, and a second step with the same code stays usable. Its
 * `afterTimeStep` throws after the clock went back, where used-steps.ts decides.
 */
async function createVerifier(secret: string): Promise<(token: string, step: number) => boolean> {
  const { verifySync } = await loadOtplib();
  const options = {
    secret,
    strategy: "totp",
    algorithm: "sha1",
    digits: codeDigits,
    period: stepSeconds,
  } as const;
  return (token, step) => {
    try {
      return verifySync({ ...options, token, epoch: secondsOfStep(step), epochTolerance: 0 }).valid;
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

/** A colon would end the issuer in the label; half a surrogate pair, which JSON can carry, cannot be percent-encoded. */
function plainName(name: string): string {
  return name.replaceAll(":", " ").replace(/\p{Surrogate}/gu, "\ufffd");
}
