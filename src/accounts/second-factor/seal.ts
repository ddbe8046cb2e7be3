import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from "node:crypto";
import { StewardError } from "../../contract/errors.ts";

const algorithm = "aes-256-gcm";
const keyBytes = 32;

/** NIST SP 800-38D §8.2.2: random nonces suffice for 2^32 sealings with one key; an appliance makes some hundred. */
const nonceBytes = 12;
const tagBytes = 16;

/** `v1.KEY.BYTES`: the key's id in hex, then nonce, ciphertext and tag in base64url. */
const sealedForm = /^v1\.([0-9a-f]{16})\.([A-Za-z0-9_-]+)$/;

/** Encrypts secrets that must be read back: the state without the key does not reveal them. */
export type Seal = ReturnType<typeof createSeal>;

/** `keys` have 32 bytes each: the first seals, all open. Without keys both operations fail. Throws RangeError. */
export function createSeal(keys: readonly Uint8Array[]) {
  const known = new Map<string, KeyObject>();
  for (const key of keys) {
    if (key.length !== keyBytes)
      throw new RangeError(`a sealing key has ${key.length} bytes, not ${keyBytes}`);
    known.set(idOfKey(key), createSecretKey(key));
  }
  const [first] = known;
  const keyIdOf = (sealed: string): string => sealedForm.exec(sealed)?.[1] ?? "";
  return {
    /** The id of the key that a text was sealed with; it reveals nothing of the key. Empty: the text is damaged. */
    keyIdOf,
    /** True if that key is one of this device's. */
    hasKey: (sealed: string): boolean => known.has(keyIdOf(sealed)),
    /** 32 bytes for another purpose from each key, the sealing one first. They reveal nothing of the key. */
    derived: (purpose: string): Uint8Array[] =>
      [...known.values()].map(
        (key) => new Uint8Array(hkdfSync("sha256", key.export(), "", purpose, keyBytes)),
      ),
    /** Binds the text to one record, so that it opens nowhere else. Throws `second_factor_unavailable` without a key. */
    seal: (text: string, recordId: string): string => {
      if (!first) throw unavailable("this device has no key to seal secrets with");
      const [keyId, key] = first;
      return `v1.${keyId}.${encrypt(key, text, boundTo(keyId, recordId)).toString("base64url")}`;
    },
    /** Throws `second_factor_unavailable` if the key is missing, or the text is another record's or was altered. */
    open: (sealed: string, recordId: string): string => {
      const [, keyId = "", encoded = ""] = sealedForm.exec(sealed) ?? [];
      const bytes = Buffer.from(encoded, "base64url");
      // Node skips characters outside base64url and the bits after the last byte; this accepts one form of a secret.
      const isWhole = bytes.toString("base64url") === encoded && bytes.length >= nonceBytes + tagBytes;
      if (keyId === "" || !isWhole) throw unavailable("the sealed secret is damaged");
      const key = known.get(keyId);
      if (!key)
        throw unavailable(`the secret was sealed with the key ${keyId}, which this device does not have`);
      return decrypt(key, bytes, boundTo(keyId, recordId));
    },
  };
}

/** The text; null: its key is gone, or it was altered. */
export function openedOrNull(seal: Seal, sealed: string, recordId: string): string | null {
  try {
    return seal.open(sealed, recordId);
  } catch (error) {
    if (error instanceof StewardError) return null;
    throw error;
  }
}

function encrypt(key: KeyObject, text: string, bound: Buffer): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes }).setAAD(bound);
  return Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
}

function decrypt(key: KeyObject, bytes: Buffer, bound: Buffer): string {
  const nonce = bytes.subarray(0, nonceBytes);
  const ciphertext = bytes.subarray(nonceBytes, -tagBytes);
  // The tag's length is fixed: a shorter one would be accepted, and is easier to forge.
  const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes }).setAAD(bound);
  decipher.setAuthTag(bytes.subarray(-tagBytes));
  try {
    return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString("utf8");
  } catch (cause) {
    throw unavailable("the sealed secret was altered or belongs to another record", cause);
  }
}

/** Eight bytes of a hash tell a few keys apart and reveal nothing of them. */
function idOfKey(key: Uint8Array): string {
  return createHash("sha256").update("steward seal key 1\0").update(key).digest("hex").slice(0, 16);
}

/** The data authenticated with the text: the form, the key and the record. */
function boundTo(keyId: string, recordId: string): Buffer {
  return Buffer.from(`steward seal v1\0${keyId}\0${recordId}`);
}

function unavailable(why: string, cause?: unknown): StewardError {
  return new StewardError(
    "second_factor_unavailable",
    `Codes cannot be checked: ${why}. Sign in with a recovery code, or as root bring the sealing key back ` +
      "or run `steward user rescue NAME`.",
    { cause },
  );
}
