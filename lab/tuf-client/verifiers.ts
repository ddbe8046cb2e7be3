import { constants, createPublicKey, type KeyObject, verify } from "node:crypto";
import type { Key } from "../../src/tuf/metadata.ts";
import { ed25519Only, type Verifiers, type VerifySignature } from "../../src/tuf/signatures.ts";

/** The schemes of TUF §4.2 that the agent does without, by node:crypto. */
const rsaPss: VerifySignature = (key, message, signature) =>
  attempt(() => {
    const padding = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO };
    return verify("sha256", message, { key: publicKey(key), ...padding }, signature);
  });

const ecdsa: VerifySignature = (key, message, signature) =>
  attempt(() => verify("sha256", message, publicKey(key), signature));

/** The agent's verifiers, and those of other repositories; some of them name the curve in the key type. */
export const everyVerifier: Verifiers = {
  ...ed25519Only,
  "rsa/rsassa-pss-sha256": rsaPss,
  "ecdsa/ecdsa-sha2-nistp256": ecdsa,
  "ecdsa-sha2-nistp256/ecdsa-sha2-nistp256": ecdsa,
};

/** From PEM. */
function publicKey({ keyval }: Key): KeyObject {
  return createPublicKey(keyval.public);
}

function attempt(check: () => boolean): boolean {
  try {
    return check();
  } catch {
    return false;
  }
}
