import { createHash, createPublicKey, type KeyObject } from "node:crypto";
import { StewardError } from "../../contract/errors.ts";
import { canonicalJson } from "../../tuf/canonical-json.ts";
import { keyProblem } from "../../tuf/ed25519.ts";
import type { Key } from "../../tuf/metadata.ts";
import { readText } from "../files.ts";

/** A public key as in metadata. */
export interface NamedKey {
  /** SHA-256 of the key's canonical form, in hex. */
  readonly id: string;
  readonly key: Key;
}

/** Reads a public key from PEM, of a public or a private key, or from 64 hex digits. Throws `validation_failed`. */
export async function readPublicKey(file: string): Promise<NamedKey> {
  const text = await readText(file);
  if (/^\s*[0-9a-fA-F]{64}\s*$/.test(text)) return namedKey(Buffer.from(text.trim(), "hex"), file);
  try {
    return namedKeyOf(createPublicKey(text), file);
  } catch (cause) {
    if (cause instanceof StewardError) throw cause;
    throw new StewardError(
      "validation_failed",
      `${file} is not a public key in PEM. Make it from a private key with: openssl pkey -in KEY.pem -pubout -out ${file}`,
      { cause },
    );
  }
}

/** From either half. Throws `validation_failed` for another kind of key, or a weak key under which anyone can sign. */
export function namedKeyOf(key: KeyObject, file: string): NamedKey {
  if (key.asymmetricKeyType !== "ed25519") {
    throw new StewardError(
      "validation_failed",
      `${file} holds a key of the kind ${key.asymmetricKeyType}, and devices know only Ed25519. Make one with: openssl genpkey -algorithm ed25519 -out KEY.pem`,
    );
  }
  const { x = "" } = (key.type === "public" ? key : createPublicKey(key)).export({ format: "jwk" });
  return namedKey(Buffer.from(x, "base64url"), file);
}

function namedKey(bytes: Uint8Array, file: string): NamedKey {
  const problem = keyProblem(bytes);
  if (problem !== null)
    throw new StewardError("validation_failed", `The key in ${file} ${problem}. Devices refuse it.`);
  const key: Key = {
    keytype: "ed25519",
    scheme: "ed25519",
    keyval: { public: Buffer.from(bytes).toString("hex") },
  };
  return { id: createHash("sha256").update(canonicalJson(key)).digest("hex"), key };
}
