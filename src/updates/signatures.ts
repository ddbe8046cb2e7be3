import { StewardError } from "../errors.ts";
import { keyProblem, verifyEd25519 } from "./ed25519.ts";
import type { Key, Metadata, Role, RoleType, Root } from "./metadata.ts";

/** Whether `signature` over `message` is that of the key. Never throws. */
export type VerifySignature = (key: Key, message: Uint8Array, signature: Uint8Array) => boolean;

/** By `keytype/scheme`; a key of another kind counts for nothing. */
export type Verifiers = Readonly<Record<string, VerifySignature>>;

/** All that the agent knows. */
export const ed25519Alone: Verifiers = {
  "ed25519/ed25519": (key, message, signature) =>
    verifyEd25519(bytesOf(key.keyval.public), message, signature),
};

/** Whose signatures count for a file, and how that role is called. */
export interface Signers extends Role {
  readonly name: string;
  readonly keys: Readonly<Record<string, Key>>;
}

/** The signers of a top-level role. */
export function signersOf({ roles, keys }: Root, name: RoleType): Signers {
  return { ...roles[name], name, keys };
}

/**
 * TUF §5.3.4 and its likes: the file must be signed by a threshold of keys, counted by the public keys themselves, since
 * one key can be given two ids. Throws `update_signature_invalid`.
 */
export function verifySignatures(
  { signatures, signedBytes }: Metadata<RoleType>,
  { name, keyids, threshold, keys }: Signers,
  verifiers: Verifiers,
): void {
  const good = new Set<string>();
  for (const { keyid, sig } of signatures) {
    const key = keyids.includes(keyid) ? keys[keyid] : undefined;
    if (key === undefined) continue;
    const verify = verifiers[`${key.keytype}/${key.scheme}`];
    if (verify?.(key, signedBytes, bytesOf(sig)))
      good.add(key.keyval.public.replace(/\s/g, "").toLowerCase());
    // Each costs 5 ms on the agent's one thread.
    if (good.size >= threshold) return;
  }
  throw new StewardError(
    "update_signature_invalid",
    `The metadata of the role ${name} is signed by ${good.size} of its keys and must be by ${threshold}. It was changed on the way, or its publisher does not have the keys that this device trusts.`,
  );
}

/** Why one of these keys can be nobody's; null where nothing speaks against them. Other kinds of keys count for nothing here. */
export function placeholderKey(keys: Readonly<Record<string, Key>>): string | null {
  for (const [id, { keytype, keyval }] of Object.entries(keys)) {
    const problem = keytype === "ed25519" ? keyProblem(bytesOf(keyval.public)) : null;
    if (problem !== null) return `The key ${id.slice(0, 16)} ${problem}`;
  }
  return null;
}

/** Empty for what is not hex. */
function bytesOf(hex: string): Uint8Array {
  return /^([0-9a-fA-F]{2})*$/.test(hex) ? Buffer.from(hex, "hex") : new Uint8Array();
}
