import { createHash } from "node:crypto";
import { StewardError } from "../contract/errors.ts";
import { caps } from "./caps.ts";
import { type Root, topLevel } from "./metadata.ts";
import { readMetadata } from "./read-metadata.ts";
import {
  countSigners,
  ed25519Only,
  foreignKeys,
  placeholderKey,
  signersOf,
  type Verifiers,
  verifySignatures,
} from "./signatures.ts";

/** A root that a device is to trust, and the fingerprint by which people compare it. */
export interface RootOfTrust {
  readonly root: Root;
  /** SHA-256 of the canonical form of its signed part, in hex: the same for any layout of the file. */
  readonly fingerprint: string;
}

/**
 * TUF §5.2, §6.1: a root that is whole, signed by its own threshold, and without placeholder keys. It may have expired,
 * since its successors decide that. Throws `update_root_unusable` with the reason.
 */
export function readRootOfTrust(bytes: Uint8Array, verifiers: Verifiers = ed25519Only): RootOfTrust {
  try {
    const metadata = readMetadata("root", bytes, caps);
    const problem = placeholderKey(metadata.signed.keys);
    if (problem !== null) throw new StewardError("update_root_unusable", `${problem}.`);
    verifySignatures(metadata, signersOf(metadata.signed, "root"), verifiers);
    const fingerprint = createHash("sha256").update(metadata.signedBytes).digest("hex");
    return { root: metadata.signed, fingerprint };
  } catch (error) {
    if (!(error instanceof StewardError)) throw error;
    throw new StewardError("update_root_unusable", `This root of trust cannot be used. ${error.message}`, {
      cause: error,
    });
  }
}

/** True if another root is signed by a threshold of the one in force, and not older. Both were read as roots before. */
export function isSignedBySuccession(inForce: Uint8Array, other: Uint8Array): boolean {
  const present = readMetadata("root", inForce, caps).signed;
  const next = readMetadata("root", other, caps);
  const signers = signersOf(present, "root");
  return (
    next.signed.version >= present.version && countSigners(next, signers, ed25519Only) >= signers.threshold
  );
}

/**
 * TUF §5.3.4, §5.3.5: `next` is the very next version after `former`, and signed by a threshold of its keys.
 * `readRootOfTrust` requires its own threshold. Throws `update_metadata_mismatch` and `update_signature_invalid`.
 */
export function requireSuccession(former: Root, next: Uint8Array): void {
  const metadata = readMetadata("root", next, caps);
  const { version } = metadata.signed;
  if (version !== former.version + 1) {
    const detail = `Version ${version} does not follow version ${former.version}; a chain has each version in between, oldest first.`;
    throw new StewardError("update_metadata_mismatch", detail);
  }
  verifySignatures(metadata, signersOf(former, "root"), ed25519Only);
}

/**
 * A root that is to be installed. Besides the requirements of `readRootOfTrust`, each top-level role must have enough
 * keys of a known type, or every check would fail. Throws `update_root_unusable`.
 */
export function readRootToInstall(bytes: Uint8Array): RootOfTrust {
  const trust = readRootOfTrust(bytes);
  for (const role of topLevel) {
    const problem = foreignKeys(signersOf(trust.root, role), ed25519Only);
    if (problem !== null)
      throw new StewardError("update_root_unusable", `This root of trust cannot be used. ${problem}`);
  }
  return trust;
}
