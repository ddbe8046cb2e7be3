import { createHash, createPublicKey, type KeyObject } from "node:crypto";
import { readFile } from "node:fs/promises";
import { StewardError } from "../../contract/errors.ts";
import { canonicalJson } from "../../tuf/canonical-json.ts";
import { keyProblem } from "../../tuf/ed25519.ts";
import type { Key } from "../../tuf/metadata.ts";
import { unreadable } from "../files.ts";

/** A public key as metadata have it. */
export interface NamedKey {
  /** SHA-256 of the key's canonical form, in hex. */
  readonly id: string;
  readonly key: Key;
}

/** Reads the public half from PEM, of a public or a private key, or from 64 hex digits. Throws `validation_failed`. */
export async function readPublicKey(file: string): Promise<NamedKey> {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    throw unreadable(file, error);
  });
  if (/^\s*[0-9a-fA-F]{64}\s*$/.test(text)) return namedKey(Buffer.from(text.trim(), "hex"), file);
  try {
    return namedKeyOf(createPublicKey(text), file);
  } catch (cause) {
    if (cause instanceof StewardError) throw cause;
    throw new StewardError(
      "validation_failed",
      `${file} is no public key in PEM. From a private key it is made by: openssl pkey -in KEY.pem -pubout -out ${file}`,
      { cause },
    );
  }
}

/** Of either half. Throws `validation_failed` for what is no Ed25519 key, or a key under which anybody can sign. */
export function namedKeyOf(key: KeyObject, file: string): NamedKey {
  if (key.asymmetricKeyType !== "ed25519") {
    throw new StewardError(
      "validation_failed",
      `${file} holds a key of the kind ${key.asymmetricKeyType}, and devices know Ed25519 alone. One is made by: openssl genpkey -algorithm ed25519 -out KEY.pem`,
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
