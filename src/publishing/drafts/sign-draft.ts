import { StewardError } from "../../contract/errors.ts";
import { verifyEd25519 } from "../../tuf/ed25519.ts";
import type { Metadata } from "../../tuf/metadata.ts";
import type { SigningKey } from "../keys/private-keys.ts";
import { idOf } from "../keys/role-keys.ts";
import { keyName, lacking, signatureIn, signWith, withSignature } from "../keys/signing.ts";
import { keysFor } from "../renew.ts";
import { isDraftedRole, type RoleName, type TypeOfRole } from "../roles.ts";
import { readState, type State, withDraft, writeDraft } from "../state.ts";
import type { Workspace } from "../workspace.ts";

export type SignResult = Awaited<ReturnType<typeof keep>>;

/** Signs the draft of a role with those of `keys` that count for it. Throws `not_found` without a draft or a key. */
export async function signDraft(
  workspace: Workspace,
  role: RoleName,
  keys: readonly SigningKey[],
): Promise<SignResult> {
  const { owners } = workspace;
  const state = await readState(workspace);
  const draft = requireDraft(workspace, state, role);
  const wanted = keysFor(role, state);
  const mine = keys.filter(({ id }) => wanted.has(id));
  if (mine.length === 0) {
    const files = keys.map(({ file, id }) => `${file} (${keyName(id, owners)})`).join(", ") || "none";
    throw new StewardError(
      "not_found",
      `None of the keys here counts for ${role}: ${files}. It needs one of ${keyNames(wanted.keys(), owners)}: give its file with --key, or sign elsewhere with --print and --attach.`,
    );
  }
  const signed = signWith(role, draft, mine, state);
  const by = mine.map(({ id }) => id).filter((id) => signed.signatures.some(({ keyid }) => keyid === id));
  if (by.length > 0) return keep(workspace, state, role, { signed, by });
  throw new StewardError(
    "not_found",
    `The command of --signer made no signature for ${role}, which needs one of ${keyNames(wanted.keys(), owners)}. Nothing was changed.`,
  );
}

/** The bytes to be signed: the canonical form of the signed part of the draft. */
export async function bytesToSign(workspace: Workspace, role: RoleName): Promise<Uint8Array> {
  return requireDraft(workspace, await readState(workspace), role).signedBytes;
}

/**
 * Attaches a signature that was made elsewhere: 64 bytes, or their hex digits. Without `keyId` every key of the role is
 * tried. Throws `update_signature_invalid`, `validation_failed`, `not_found`.
 */
export async function attachSignature(
  workspace: Workspace,
  role: RoleName,
  { file, keyId }: { file: Uint8Array; keyId?: string | undefined },
): Promise<SignResult> {
  const state = await readState(workspace);
  const draft = requireDraft(workspace, state, role);
  const signature = readSignature(file);
  const wanted = keysFor(role, state);
  const ids = [...wanted.keys()];
  const candidates = keyId === undefined ? ids : [idOf(keyId, role, ids)];
  for (const id of candidates) {
    const key = wanted.get(id);
    if (!key || !verifyEd25519(Buffer.from(key.keyval.public, "hex"), draft.signedBytes, signature)) continue;
    const signed = withSignature<RoleName>(role, draft, { id, key }, signature);
    return keep(workspace, state, role, { signed, by: [id] });
  }
  throw new StewardError(
    "update_signature_invalid",
    `This is not a signature of ${keyNames(candidates, workspace.owners, " or ")} over the draft of ${role} version ${draft.signed.version}. It was not attached. The draft may have changed since it was printed: steward-publisher sign ${workspace.directory} ${role} --print`,
  );
}

function requireDraft<R extends RoleName>(
  { directory }: Workspace,
  state: State,
  role: R,
): Metadata<TypeOfRole[R]> {
  const draft = state.drafts[role];
  if (draft) return draft;
  const how = isDraftedRole(role)
    ? `steward-publisher renew ${directory} ${role}`
    : `steward-publisher publish ${directory}, or renew`;
  throw new StewardError(
    "not_found",
    `There is no draft of ${role} in ${directory} to sign. Make one with: ${how}`,
  );
}

/** The draft with its signatures, on the disk. `by`: ids of the keys that signed in this call. */
async function keep(
  workspace: Workspace,
  state: State,
  role: RoleName,
  { signed, by }: { signed: Metadata<TypeOfRole[RoleName]>; by: readonly string[] },
) {
  await writeDraft(workspace, role, signed);
  const next = withDraft<RoleName>(state, role, signed);
  return { role, version: signed.signed.version, signed_by: by, lacking: lacking(role, signed, next) };
}

function readSignature(file: Uint8Array): Uint8Array {
  const signature = signatureIn(file);
  if (signature !== null) return signature;
  throw new StewardError(
    "validation_failed",
    `A signature has 64 bytes, as they are, in hex or in Base64; this file has ${file.length} bytes. It was not attached. Make one with: openssl pkeyutl -sign -rawin -inkey KEY.pem -in BYTES -out SIGNATURE`,
  );
}

function keyNames(ids: Iterable<string>, owners: Workspace["owners"], between = ", "): string {
  return [...ids].map((id) => keyName(id, owners)).join(between);
}
