import { StewardError } from "../errors.ts";
import { caps } from "./caps.ts";
import { readMetadata } from "./read-metadata.ts";
import { ed25519Alone, signersOf, verifySignatures } from "./signatures.ts";

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
