import { join } from "node:path";
import { StewardError } from "../contract/errors.ts";
import { writeDurably } from "../store/files/durable-file.ts";
import { canonicalJson } from "../tuf/canonical-json.ts";
import { caps } from "../tuf/caps.ts";
import type { Metadata, Signature, SignedTypes } from "../tuf/metadata.ts";
import { readMetadata } from "../tuf/read-metadata.ts";
import { privateMode, removeFile } from "./files.ts";
import { overfilled } from "./fullness.ts";
import { nextVersion, readPublished, readRole } from "./published.ts";
import {
  noRoleFiles,
  type RoleFiles,
  type RoleName,
  roleFilesBy,
  roleNames,
  type TypeOfRole,
  typeOfRole,
} from "./roles.ts";
import type { Workspace } from "./workspace.ts";

/** The state of a repository. */
export interface State {
  readonly published: RoleFiles;
  /** Metadata newer than the published ones. */
  readonly drafts: RoleFiles;
  /** The draft of each role, or else its published metadata. */
  readonly next: RoleFiles;
}

export async function readState(workspace: Workspace): Promise<State> {
  const published = await readPublished(workspace.metadata);
  const draft = async <R extends RoleName>(role: R) => {
    const read = await readRole(workspace.drafts, role, `${role}.json`);
    // A publish that was interrupted after its last rename leaves drafts of published versions.
    return read && read.signed.version > versionBefore(workspace, published, role) ? read : null;
  };
  let drafts = noRoleFiles;
  for (const role of roleNames) drafts = { ...drafts, [role]: await draft(role) };
  return stateOf(published, drafts);
}

/** The same. Throws `repository_conflict` before the first publish, when there is nothing to renew, or to export. */
export async function readPublishedState(workspace: Workspace, verb: "renew" | "export"): Promise<State> {
  const state = await readState(workspace);
  if (state.published.timestamp !== null) return state;
  throw new StewardError(
    "repository_conflict",
    `Nothing is published yet, so there is nothing to ${verb}: steward-publisher publish ${workspace.directory}`,
  );
}

/** The highest version of a role that devices can have; 0: none. */
function versionBefore(
  { exported }: Pick<Workspace, "exported">,
  published: RoleFiles,
  role: RoleName,
): number {
  return Math.max(published[role]?.signed.version ?? 0, exported[role] ?? 0);
}

export function stateOf(published: RoleFiles, drafts: RoleFiles): State {
  return { published, drafts, next: roleFilesBy((role) => drafts[role] ?? published[role]) };
}

/** `next` with another draft in it. */
export function withDraft<R extends RoleName>(
  { published, drafts }: State,
  role: R,
  draft: Metadata<TypeOfRole[R]>,
): State {
  return stateOf(published, { ...drafts, [role]: draft });
}

type Content<R extends RoleName> = Omit<SignedTypes[TypeOfRole[R]], "version" | "expires">;

/**
 * A signed member that clients ignore: when this version was made (RFC 3339, whole seconds). An expiry does not tell that,
 * because the period may have been changed since, and no clock that signs later may be far behind it.
 */
export const madeAtMember = "steward_made_at";

/** The next version of a role with this content and a new expiry date, unsigned. Throws `update_too_large`. */
export async function draftOf<R extends RoleName>(
  workspace: Workspace,
  { published, drafts }: State,
  role: R,
  content: Content<R>,
): Promise<Metadata<TypeOfRole[R]>> {
  const after = versionBefore(workspace, published, role) + 1;
  const free = await nextVersion(workspace.metadata, role);
  // TUF §5.3.5: roots are numbered without gaps.
  const version = role === "root" ? after : Math.max(after, free, drafts[role]?.signed.version ?? 0);
  const signed = { ...content, version, ...datesOf(role, workspace) } as SignedTypes[TypeOfRole[R]];
  return encode(role, signed, [], workspace.directory);
}

function datesOf(role: RoleName, { now, periods }: Workspace): { readonly expires: string } {
  const made = now().getTime();
  const dates = {
    expires: rfc3339Seconds(made + periods[role] * 1_000),
    [madeAtMember]: rfc3339Seconds(made),
  };
  return dates;
}

/** TUF writes whole seconds. */
export function rfc3339Seconds(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, "Z");
}

/** A metadata file as it is written, read back as clients do. Throws `validation_failed` beyond their limits. */
export function encode<R extends RoleName>(
  role: R,
  signed: SignedTypes[TypeOfRole[R]],
  signatures: readonly Signature[],
  directory = "DIR",
): Metadata<TypeOfRole[R]> {
  canonicalJson(signed);
  const bytes = Buffer.from(`${JSON.stringify({ signatures, signed })}\n`, "utf8");
  const beyond = overfilled(role, { signed, signatures, bytes }, directory);
  if (beyond === undefined) return readMetadata(typeOfRole[role], bytes, caps);
  const { used, of, most, command } = beyond;
  throw new StewardError(
    "validation_failed",
    `The metadata of ${role} would have ${used} ${of}; devices read at most ${most}. Nothing was changed. To make room: ${command}`,
  );
}

export async function writeDraft(
  workspace: Workspace,
  role: RoleName,
  draft: { bytes: Uint8Array },
): Promise<void> {
  await writeDurably(draftPath(workspace, role), draft.bytes, privateMode);
}

export async function removeDraft(workspace: Workspace, role: RoleName): Promise<void> {
  await removeFile(draftPath(workspace, role));
}

function draftPath({ drafts }: Workspace, role: RoleName): string {
  return join(drafts, `${role}.json`);
}
