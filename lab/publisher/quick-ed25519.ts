import { createPublicKey, verify } from "node:crypto";
import nacl from "tweetnacl";

const { detached } = nacl.sign;
const tweetnacl = detached.verify;

/**
 * Lets OpenSSL do the arithmetic behind the product's own strict checks, in a fiftieth of the time; a repository in a test
 * is verified hundreds of times. ed25519.test.ts holds both to the same vectors. Gives back what undoes it.
 */
export const useOpenSsl = (): (() => void) => use(verifyByOpenSsl);

/** Has tweetnacl do it, as the product has it, whatever other files of the process use. Gives back what undoes it. */
export const useTweetnacl = (): (() => void) => use(tweetnacl);

function use(verifier: typeof tweetnacl): () => void {
  const former = detached.verify;
  detached.verify = verifier;
  return () => {
    detached.verify = former;
  };
}

function verifyByOpenSsl(message: Uint8Array, signature: Uint8Array, publicKey: Uint8Array): boolean {
  const x = Buffer.from(publicKey).toString("base64url");
  const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
  return verify(null, message, key, signature);
}
