import { StewardError } from "../contract/errors.ts";
import { caps } from "./caps.ts";
import { readMetadata } from "./read-metadata.ts";
import { type RootOfTrust, readRootOfTrust } from "./root-of-trust.ts";
import { ed25519Alone, foreignKeys, signersOf, verifySignatures } from "./signatures.ts";

/**
 * Whether the root in force vouches for another one: signed by a threshold of its keys, and not older. Both are files
 * that were read as roots before.
 */
export function vouchesFor(inForce: Uint8Array, other: Uint8Array): boolean {
  const present = readMetadata("root", inForce, caps).signed;
  const next = readMetadata("root", other, caps);
  if (next.signed.version < present.version) return false;
  try {
    verifySignatures(next, signersOf(present, "root"), ed25519Alone);
    return true;
  } catch (error) {
    if (error instanceof StewardError) return false;
    throw error;
  }
}

const topLevel = ["root", "timestamp", "snapshot", "targets"] as const;

/**
 * A root that is to be installed: besides what `readRootOfTrust` asks of one, each top-level role can be signed for by
 * keys that count here, for else every check would fail. Throws `update_root_unusable`.
 */
export function readRootToInstall(bytes: Uint8Array): RootOfTrust {
  const trust = readRootOfTrust(bytes);
  for (const role of topLevel) {
    const problem = foreignKeys(signersOf(trust.root, role), ed25519Alone);
    if (problem !== null)
      throw new StewardError("update_root_unusable", `This root of trust cannot be used. ${problem}`);
  }
  return trust;
}
