import { createHash, createPrivateKey, createPublicKey, sign } from "node:crypto";
import { pemOfNewKey } from "../basics/new-key.ts";
import { canonical } from "./canonical.ts";
import { useOpenSsl } from "./quick-ed25519.ts";

// A test that signs verifies too, again and again.
useOpenSsl();

/** A public key as root and delegations hold it. */
export interface KeyObject {
  keytype: string;
  scheme: string;
  keyval: { public: string; [more: string]: unknown };
  [more: string]: unknown;
}

/** A key pair of a publisher, or of a thief. */
export interface SigningKey {
  readonly id: string;
  readonly object: KeyObject;
  /** Hex. */
  sign(bytes: Uint8Array): string;
}

/** A new Ed25519 key, made and used by OpenSSL (node:crypto), not by the product's own code. */
export function createSigningKey(more: Record<string, unknown> = {}): SigningKey {
  const privateKey = createPrivateKey(pemOfNewKey());
  const { x } = createPublicKey(privateKey).export({ format: "jwk" });
  const hex = Buffer.from(String(x), "base64url").toString("hex");
  return keyOf(ed25519Object(hex, more), (bytes) => sign(null, bytes, privateKey).toString("hex"));
}

/** The same key under another id: an unknown member of its object is enough to change the hash. */
export function underAnotherId(key: SigningKey): SigningKey {
  return keyOf({ ...key.object, alias: "the same key once more" }, (bytes) => key.sign(bytes));
}

/** A "key" that was never generated: its bytes are given, its signatures are what `signature` says (hex). */
export function placeholderKey(publicHex: string, signature = "00".repeat(64)): SigningKey {
  return keyOf(ed25519Object(publicHex, {}), () => signature);
}

export function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

export function sha512(bytes: Uint8Array): string {
  return createHash("sha512").update(bytes).digest("hex");
}

function ed25519Object(publicHex: string, more: Record<string, unknown>): KeyObject {
  return { keytype: "ed25519", scheme: "ed25519", keyval: { public: publicHex }, ...more };
}

function keyOf(object: KeyObject, signing: (bytes: Uint8Array) => string): SigningKey {
  return { id: sha256(canonical(object)), object, sign: signing };
}
