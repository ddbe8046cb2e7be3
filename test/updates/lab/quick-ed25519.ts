import { createPublicKey, verify } from "node:crypto";
import nacl from "tweetnacl";

/**
 * Lets OpenSSL do the arithmetic behind the product's own strict checks, in a fiftieth of the time; a repository in a test
 * is verified hundreds of times. ed25519.test.ts holds both to the same vectors. Gives back what undoes it.
 */
export function useOpenSsl(): () => void {
  const { detached } = nacl.sign;
  const former = detached.verify;
  detached.verify = verifyByOpenSsl;
  return () => {
    detached.verify = former;
  };
}

function verifyByOpenSsl(message: Uint8Array, signature: Uint8Array, publicKey: Uint8Array): boolean {
  const x = Buffer.from(publicKey).toString("base64url");
  const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
  return verify(null, message, key, signature);
}
