import { StewardError } from "../../contract/errors.ts";
import { withoutBlanks } from "./blanks.ts";
import { openWith, publicKeyOf, sealTo } from "./hpke.ts";
import type { Seal } from "./seal.ts";

/** A second factor on its way to a device: `v1.BYTES`, in base64url. */
const transportForm = /^v1\.([A-Za-z0-9_-]{66,344})$/;
/** In hex: a command would read a key that begins with a hyphen as an option. */
const keyForm = /^[0-9a-f]{64}$/;

/** The key is derived from the device's own: a copied disk with another key opens nothing that is sealed later. */
const purpose = "steward second factor transport v1";

/** RFC 4226 §4 (R6): 128 bits at least, which are 26 characters of base32. */
const secretForm = /^[A-Z2-7]{26,128}$/;

/** The public key that second factors for this device are sealed to; null: the device has no sealing key. */
export function transportKey(seal: Seal): string | null {
  const [key] = seal.derived(purpose);
  return key === undefined ? null : publicKeyOf(key).toString("hex");
}

/** Seals a secret for one user of the device with this public key. Throws `validation_failed`. */
export function sealForDevice(secret: string, username: string, publicKey: string): string {
  if (!keyForm.test(publicKey)) throw noKey();
  const normal = normalised(secret);
  const problem = secretProblem(normal);
  if (problem !== null) throw new StewardError("validation_failed", `The secret ${problem}.`);
  try {
    const sealed = sealTo(Buffer.from(publicKey, "hex"), Buffer.from(normal), bindingOf(username));
    return `v1.${sealed.toString("base64url")}`;
  } catch (cause) {
    // The key has a small order: every secret shared with it is zero.
    throw noKey(cause);
  }
}

function noKey(cause?: unknown): StewardError {
  return new StewardError(
    "validation_failed",
    "That is no key to seal to; the device prints its own with `steward seal-key`.",
    { cause },
  );
}

/** The secret in base32; null: no key of this device opens it for this user. */
export function openOnDevice(seal: Seal, sealed: string, username: string): string | null {
  const [, encoded = ""] = transportForm.exec(sealed) ?? [];
  const bytes = Buffer.from(encoded, "base64url");
  for (const key of seal.derived(purpose)) {
    try {
      return openWith(key, bytes, bindingOf(username)).toString("utf8");
    } catch {
      // Another of this device's keys may open it.
    }
  }
  return null;
}

/** The reason why a text is not a secret; null: it is one. */
export function secretProblem(secret: string): string | null {
  if (secretForm.test(secret)) return null;
  return "is no base32 of 26 to 128 characters (A to Z, 2 to 7), which are 128 bits at least";
}

function normalised(secret: string): string {
  return withoutBlanks(secret).replace(/=+$/, "").toUpperCase();
}

function bindingOf(username: string) {
  return { info: Buffer.from("steward second factor v1"), associated: Buffer.from(username) };
}
