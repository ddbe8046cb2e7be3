import { StewardError } from "../../contract/errors.ts";
import { verifyEd25519 } from "../../tuf/ed25519.ts";
import type { Metadata, Signature } from "../../tuf/metadata.ts";
import { ed25519Only, type Signers } from "../../tuf/signatures.ts";
import { type Authority, authoritiesOf, type RoleName, type TypeOfRole } from "../roles.ts";
import { encode, type State, withDraft } from "../state.ts";
import type { Workspace } from "../workspace.ts";
import type { SigningKey } from "./private-keys.ts";

type File = Pick<Metadata<"root">, "signatures" | "signedBytes">;

/** The signatures of a file, compared with a threshold. */
export interface Count {
  readonly by: string;
  readonly isRequired: boolean;
  readonly threshold: number;
  /** Ids of the keys with valid signatures. */
  readonly signedBy: readonly string[];
  readonly keyids: readonly string[];
  /** The number of missing signatures. */
  readonly missing: number;
}

export function countSignatures(file: File, authority: Authority): Count {
  const { by, isRequired, threshold, keyids, keys } = authority;
  const signedBy = keyids.filter((id) => isSignedBy(file, id, authority));
  // One key may be listed under two ids, and counts once.
  const distinct = new Set(signedBy.map((id) => keys[id]?.keyval.public.toLowerCase()));
  return { by, isRequired, threshold, keyids, signedBy, missing: Math.max(0, threshold - distinct.size) };
}

/** True where the file has a valid signature of that key. */
function isSignedBy({ signatures, signedBytes }: File, id: string, { keys }: Signers): boolean {
  const key = keys[id];
  const sig = signatures.find(({ keyid }) => keyid === id)?.sig ?? "";
  if (key === undefined) return false;
  return ed25519Only[`${key.keytype}/${key.scheme}`]?.(key, signedBytes, Buffer.from(sig, "hex")) ?? false;
}

/** The missing signatures of a file, for each authority; empty: it may be published. */
export function lacking(role: RoleName, file: File, { published, next }: State): readonly Count[] {
  return authoritiesOf(role, published, next)
    .map((authority) => countSignatures(file, authority))
    .filter(({ isRequired, missing }) => isRequired && missing > 0);
}

/** The file with the signatures of those of `keys` that count for it; keys elsewhere sign only where one is missing. */
export function signWith<R extends RoleName>(
  role: R,
  file: Metadata<TypeOfRole[R]>,
  keys: readonly SigningKey[],
  state: State,
): Metadata<TypeOfRole[R]> {
  const drafted = withDraft(state, role, file);
  const authorities = authoritiesOf(role, drafted.published, drafted.next);
  const wanted = keys.filter(({ id }) => authorities.some(({ keyids }) => keyids.includes(id)));
  const here = wanted.filter(({ isExternal }) => !isExternal);
  const elsewhere = wanted.filter(({ isExternal }) => isExternal);
  return [...here, ...elsewhere].reduce<Metadata<TypeOfRole[R]>>((signed, key) => {
    if (key.isExternal && lacking(role, signed, drafted).length === 0) return signed;
    const signature = key.sign(file.signedBytes, role);
    return signature === null ? signed : withSignature(role, signed, key, signature);
  }, file);
}

/** Bytes of an Ed25519 signature. */
const signatureBytes = 64;

/** A signature as tools write it: 64 bytes, their hex digits, or Base64; null: it is none. */
export function signatureIn(output: Uint8Array): Uint8Array | null {
  if (output.length === signatureBytes) return output;
  const text = Buffer.from(output.subarray(0, 1_024)).toString("latin1").replace(/\s/g, "");
  if (/^[0-9a-fA-F]{128}$/.test(text)) return Buffer.from(text, "hex");
  return /^[A-Za-z0-9+/]{86}==$/.test(text) ? Buffer.from(text, "base64") : null;
}

/** Throws `update_signature_invalid` for a signature that is not of this key over this file. */
export function withSignature<R extends RoleName>(
  role: R,
  file: Metadata<TypeOfRole[R]>,
  { id, key }: Pick<SigningKey, "id" | "key">,
  signature: Uint8Array,
): Metadata<TypeOfRole[R]> {
  if (!verifyEd25519(Buffer.from(key.keyval.public, "hex"), file.signedBytes, signature)) {
    throw new StewardError(
      "update_signature_invalid",
      `This is not a signature of the key ${id.slice(0, 16)} over the draft of ${role} version ${file.signed.version}. It was not attached.`,
    );
  }
  const added: Signature = { keyid: id, sig: Buffer.from(signature).toString("hex") };
  const others = file.signatures.filter(({ keyid }) => keyid !== id);
  return encode(role, file.signed, [...others, added]);
}

/** Whom to ask for a signature, and in which repository. */
export type KeyHolders = Pick<Workspace, "directory" | "owners">;

/** `rules needs 1 more signature of a1b2… [Anna], c3d4… (as targets version 2 says): steward-publisher sign site rules`. */
export function describeLack(
  role: RoleName,
  counts: readonly Count[],
  { directory, owners }: KeyHolders,
): string {
  const parts = counts.map(
    ({ missing, ...count }) =>
      `${missing} more ${missing === 1 ? "signature" : "signatures"} of ${openKeys(count, owners)}`,
  );
  return `${role} needs ${parts.join(", and ")}: steward-publisher sign ${directory} ${role}`;
}

/** `a1b2… [Anna], c3d4… (as targets version 2 says)`: the keys that have not signed. */
export function openKeys(
  { by, keyids, signedBy }: Pick<Count, "by" | "keyids" | "signedBy">,
  owners: KeyHolders["owners"],
): string {
  const left = keyids.filter((id) => !signedBy.includes(id));
  return `${left.map((id) => keyName(id, owners)).join(", ")} (as ${by} says)`;
}

/** `a1b2c3d4a1b2c3d4 [Anna]`: a key by the beginning of its id, and who holds it. */
export function keyName(id: string, owners: KeyHolders["owners"]): string {
  return `${id.slice(0, 16)}${owners[id] ? ` [${owners[id]}]` : ""}`;
}
