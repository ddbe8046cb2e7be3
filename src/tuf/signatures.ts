import { StewardError } from "../contract/errors.ts";
import { keyProblem, verifyEd25519 } from "./ed25519.ts";
import type { Key, Metadata, Role, RoleType, Root } from "./metadata.ts";

/** True if `signature` over `message` was made with the key. Never throws. */
export type VerifySignature = (key: Key, message: Uint8Array, signature: Uint8Array) => boolean;

/** By `keytype/scheme`; a key of another kind does not count. */
export type Verifiers = Readonly<Record<string, VerifySignature>>;

/** All verifiers of the agent. */
export const ed25519Only: Verifiers = {
  "ed25519/ed25519": (key, message, signature) =>
    verifyEd25519(bytesOf(key.keyval.public), message, signature),
};

/** The keys that may sign a file, and the name of their role. */
export interface Signers extends Role {
  readonly name: string;
  readonly keys: Readonly<Record<string, Key>>;
}

export function signersOf({ roles, keys }: Root, name: RoleType): Signers {
  return { ...roles[name], name, keys };
}

/** TUF §5.3.4: a threshold of keys must sign, each counted once even with two ids. Throws `update_signature_invalid`. */
export function verifySignatures(metadata: Metadata<RoleType>, signers: Signers, verifiers: Verifiers): void {
  const count = countSigners(metadata, signers, verifiers);
  if (count >= signers.threshold) return;
  throw new StewardError(
    "update_signature_invalid",
    foreignKeys(signers, verifiers) ??
      `The metadata of the role ${signers.name} is signed by ${count} of its keys and must be by ${signers.threshold}. It was changed on the way, or its publisher does not have the keys that this device trusts.`,
  );
}

/** The keys that have signed, up to the threshold: each signature costs 5 ms on the agent's one thread. */
export function countSigners(
  { signatures, signedBytes }: Metadata<RoleType>,
  signers: Signers,
  verifiers: Verifiers,
): number {
  const own = new Map(keysOf(signers));
  const good = new Set<string>();
  for (const { keyid, sig } of signatures) {
    if (good.size >= signers.threshold) break;
    const key = own.get(keyid.toLowerCase());
    if (key && verifiers[kindOf(key)]?.(key, signedBytes, bytesOf(sig))) good.add(bytesOfKey(key));
  }
  return good.size;
}

/** The keys of a role with their ids, in lower case: hex has the same value in either case. */
export function keysOf({ keyids, keys }: Omit<Signers, "name">): [id: string, key: Key | undefined][] {
  const all = new Map(Object.entries(keys).map(([id, key]) => [id.toLowerCase(), key]));
  return keyids.map((id) => [id.toLowerCase(), all.get(id.toLowerCase())]);
}

/** The bytes by which two keys are the same, however their hex or their PEM is written. */
export function bytesOfKey({ keyval }: Key): string {
  return keyval.public.replace(/\s/g, "").toLowerCase();
}

/** The reason why a role cannot be signed for at all; null: it has enough keys that count here. */
export function foreignKeys(signers: Signers, verifiers: Verifiers): string | null {
  const kinds = keysOf(signers).flatMap(([, key]) => (key ? kindOf(key) : []));
  const foreign = kinds.filter((kind) => !Object.hasOwn(verifiers, kind));
  if (foreign.length === 0 || kinds.length - foreign.length >= signers.threshold) return null;
  const named = [...new Set(foreign)].slice(0, 4).map((kind) => JSON.stringify(kind.slice(0, 60)));
  return `Only Ed25519 keys count here (keytype "ed25519", scheme "ed25519"), and the role ${signers.name} has ${foreign.length} of another type: ${named.join(", ")}. Its signatures cannot be checked. Ask the publisher for metadata whose roles all have Ed25519 keys.`;
}

function kindOf({ keytype, scheme }: Key): string {
  return `${keytype}/${scheme}`;
}

/** The reason why one of these keys is a placeholder; null: none is. Keys of other types do not count here. */
export function placeholderKey(keys: Readonly<Record<string, Key>>): string | null {
  for (const [id, { keytype, keyval }] of Object.entries(keys)) {
    const problem = keytype === "ed25519" ? keyProblem(bytesOf(keyval.public)) : null;
    if (problem !== null) return `The key ${id.slice(0, 16)} ${problem}`;
  }
  return null;
}

/** Empty if the text is not hex; Buffer takes letters of other alphabets for digits. */
function bytesOf(hex: string): Uint8Array {
  return /^([0-9a-fA-F]{2})*$/.test(hex) ? Buffer.from(hex, "hex") : new Uint8Array();
}
