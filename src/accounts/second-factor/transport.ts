import { webcrypto } from "node:crypto";
import { buffer } from "node:stream/consumers";
import { StewardError } from "../../contract/errors.ts";
import { withoutBlanks } from "./code-texts.ts";
import type { Seal } from "./seal.ts";

/*
 * A second factor on its way to a device: a file of age (https://age-encryption.org/v1) in base64, with the user's name in
 * its first line and the secret in the second. age binds a file to nothing: by the name in
 * it, a file that was sealed for another user is refused.
 */

/** The public key that `steward seal-key` prints: 32 bytes in bech32. Those of other kinds are no device's. */
const keyForm = /^age1[0-9a-z]{58}$/;

/** The key is derived from the device's own: a copied disk with another key opens nothing that is sealed later. */
const purpose = "steward second factor transport v1";

/** RFC 4226 §4 (R6): 128 bits at least, which are 26 characters of base32. */
const secretForm = /^[A-Z2-7]{26,128}$/;

/** The bytes before the 32 bytes of a private key in DER, RFC 8410. */
const privatePrefix = Buffer.from("302e020100300506032b656e04220420", "hex");

/** Loaded at the first use, so that an idle agent does not hold it. */
const loadAge = () => import("age-encryption");

/** The public key that second factors for this device are sealed to; null: the device has no sealing key. */
export async function transportKey(seal: Seal): Promise<string | null> {
  const [key] = seal.derived(purpose);
  return key === undefined ? null : (await loadAge()).identityToRecipient(await identityOf(key));
}

/** Seals a secret for one user of the device with this public key. Throws `validation_failed`. */
export async function sealForDevice(secret: string, username: string, publicKey: string): Promise<string> {
  const normal = normalised(secret);
  const problem = secretProblem(normal);
  if (problem !== null) throw new StewardError("validation_failed", `The secret ${problem}.`);
  const { Encrypter } = await loadAge();
  const encrypter = new Encrypter();
  try {
    if (!keyForm.test(publicKey)) throw new RangeError("it is not an age recipient for X25519");
    encrypter.addRecipient(publicKey);
    const made = await encrypter.encrypt(streamOf(`${username}\n${normal}\n`));
    return (await buffer(made)).toString("base64");
  } catch (cause) {
    // Its last six characters are a checksum. With a key of small order every shared secret is zero.
    const text = "That is no key to seal to; the device prints its own with `steward seal-key`.";
    throw new StewardError("validation_failed", text, { cause });
  }
}

/**
 * The secret in base32, of a text that `steward seal` printed, or `age` and `base64`, or `age -a`. Null: no key of this
 * device opens it, or it is not for this user.
 */
export async function openOnDevice(seal: Seal, sealed: string, username: string): Promise<string | null> {
  const keys = seal.derived(purpose);
  if (keys.length === 0) return null;
  const { Decrypter } = await loadAge();
  const decrypter = new Decrypter();
  for (const key of keys) decrypter.addIdentity(await identityOf(key));
  const bytes = Buffer.from(sealed.replace(/-----[^-]*-----/g, ""), "base64");
  const opened = decrypter.decrypt(streamOf(bytes)).then(buffer);
  // No reason is given to the writer of the text: it is another device's, or altered.
  const text = await opened.catch(() => Buffer.alloc(0));
  const [name, ...secret] = text.toString("utf8").trim().split(/\s*\n/);
  return name === username ? normalised(secret.join("")) : null;
}

/** The reason why a text is not a secret; null: it is one. */
export function secretProblem(secret: string): string | null {
  if (secretForm.test(secret)) return null;
  const other = otherCodesOf(secret);
  if (other !== undefined) return `is one for ${other}, which this device does not check`;
  return "is no base32 of 26 to 128 characters (A to Z, 2 to 7), which are 128 bits at least";
}

/** Base32 as people copy it, or of an otpauth URI the secret in it; the URI itself if its codes are other ones. */
function normalised(text: string): string {
  if (otherCodesOf(text) !== undefined) return text.trim();
  const secret = otpauthOf(text)?.searchParams.get("secret") ?? text;
  return withoutBlanks(secret).replace(/=+$/, "").toUpperCase();
}

function otpauthOf(text: string): URL | null {
  return /^\s*otpauth:/i.test(text) && URL.canParse(text) ? new URL(text) : null;
}

/** The defaults of the Key URI format, which are the codes of this device; the type is the URI's host. */
const ownCodes = { type: "TOTP", algorithm: "SHA1", digits: "6", period: "30" };

/** The first part of an otpauth URI by which its codes are not this device's; undefined: none is, or it is no URI. */
function otherCodesOf(text: string): string | undefined {
  const uri = otpauthOf(text);
  const [name, given] =
    Object.entries(ownCodes)
      .map(([name, own]) => [name, name === "type" ? uri?.host : uri?.searchParams.get(name), own] as const)
      .find(([, given, own]) => given && given.toUpperCase().replace(/^HMAC|-/g, "") !== own) ?? [];
  return name && `${name} ${given}`;
}

/** As a stream: of a whole text the library makes a Response, which the agent does not have. */
function streamOf(bytes: string | Uint8Array): ReadableStream<Uint8Array> {
  return new Blob([Buffer.from(bytes)]).stream();
}

function identityOf(key: Uint8Array): Promise<webcrypto.CryptoKey> {
  const pkcs8 = Buffer.concat([privatePrefix, key]);
  return webcrypto.subtle.importKey("pkcs8", pkcs8, { name: "X25519" }, false, ["deriveBits"]);
}
