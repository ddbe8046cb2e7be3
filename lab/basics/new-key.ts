import { generateKeyPairSync } from "node:crypto";

const privateKeyEncoding = { type: "pkcs8", format: "pem" } as const;
const publicKeyEncoding = { type: "spki", format: "pem" } as const;

/**
 * A new private key as PEM. Node 20 may hang where it makes a KeyObject instead: the job that made it takes the key's
 * lock when it is collected, and an export of the key that allocates holds that lock already.
 */
export function pemOfNewKey(kind: "ed25519" | "P-256" | "rsa" = "ed25519"): string {
  if (kind === "rsa") {
    return generateKeyPairSync(kind, { modulusLength: 2_048, privateKeyEncoding, publicKeyEncoding })
      .privateKey;
  }
  if (kind === "P-256") {
    return generateKeyPairSync("ec", { namedCurve: kind, privateKeyEncoding, publicKeyEncoding }).privateKey;
  }
  return generateKeyPairSync(kind, { privateKeyEncoding, publicKeyEncoding }).privateKey;
}
