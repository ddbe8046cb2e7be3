import { join } from "node:path";
import { StewardError } from "../contract/errors.ts";
import type { Targets } from "../tuf/metadata.ts";
import { type Filling, fillingsOf } from "./fullness.ts";
import type { SigningKey } from "./keys/private-keys.ts";
import { type Count, lacking, signWith } from "./keys/signing.ts";
import { type LikelyMistake, requireIntended } from "./likely-mistakes.ts";
import {
  type DraftedPatch,
  type DraftedPatches,
  draftPatches,
  stalePatches,
} from "./patches/draft-patches.ts";
import { requireZstandard } from "./patches/make-patch.ts";
import { withRepacked } from "./patches/repack.ts";
import { clearPayloads, type Measured, stagePayload } from "./payload-store.ts";
import { judgePayload } from "./payloads/judge-payload.ts";
import {
  checkEntry,
  type ReleaseEntry,
  type ReleaseTarget,
  readEntry,
  releasesIn,
  targetPath,
} from "./release-entry.ts";
import { noRoleFiles, type ReleaseRole } from "./roles.ts";
import { draftOf, readState, type State, writeDraft } from "./state.ts";
import type { Workspace } from "./workspace.ts";

export interface AddResult {
  readonly role: ReleaseRole;
  readonly version: number;
  readonly targets: readonly ReleaseTarget[];
  /** Signatures that the draft still needs. */
  readonly lacking: readonly Count[];
  /** Limits of devices of which the draft takes up half or more. */
  readonly fillings: readonly Filling[];
  /** Sentences on what devices take and may not be meant. */
  readonly remarks?: readonly string[];
  /** Present where patches were asked for. */
  readonly patches?: DraftedPatches;
}

interface Addition {
  readonly file: string;
  readonly entry: ReleaseEntry;
  readonly keys: readonly SigningKey[];
  /** Findings that look like mistakes and are intended. */
  readonly allowed?: readonly LikelyMistake[];
  /** Makes patches from so many releases before it; the payload is packed again for that. */
  readonly patchFrom?: number | undefined;
}

/**
 * Adds a release to the draft of its role, and signs the draft with those of `keys` that count for it. Throws
 * `validation_failed` for a release that devices would refuse, `repository_conflict` for a version that is published with
 * other bytes, and for a likely mistake.
 */
export async function addRelease(workspace: Workspace, addition: Addition): Promise<AddResult> {
  const { file, patchFrom } = addition;
  checkEntry(addition.entry);
  if (patchFrom === undefined) return addStaged(workspace, addition, file);
  await requireZstandard();
  await judgePayload(file, file);
  return withRepacked(workspace, file, (packed) => addStaged(workspace, addition, packed));
}

/** `packed` has the bytes that are to be published. */
async function addStaged(workspace: Workspace, addition: Addition, packed: string): Promise<AddResult> {
  const { file, entry, keys, allowed = [], patchFrom: count = 0 } = addition;
  const state = await readState(workspace);
  const path = targetPath(entry);
  requireFree(state, path, entry);
  const measured = await stagePayload(workspace, packed);
  const release = { path, file: measured, entry };
  try {
    requireSameBytes(state, release);
    const remarks = await judgePayload(join(workspace.payloads, measured.hashes.sha512), file);
    requireIntended(workspace, state, {
      candidate: { path, sha512: measured.hashes.sha512, entry },
      allowed,
    });
    const made = await draftPatches(workspace, state, { release, count });
    const change = { drafted: [release], patches: made.patches, dropped: stalePatches(state, entry) };
    const result = await draftTargets(workspace, state, entry.kind, { keys, ...change });
    return { ...result, remarks, ...(count > 0 && { patches: made }) };
  } catch (error) {
    await clearPayloads(workspace, state.drafts);
    throw error;
  }
}

function requireSameBytes(
  { published }: State,
  { path, file, entry }: ReleaseTarget & { file: Measured },
): void {
  const before = published[entry.kind]?.signed.targets[path];
  if (!before || before.hashes.sha512 === file.hashes.sha512) return;
  throw new StewardError(
    "repository_conflict",
    `${path} is already published with other bytes (SHA-512 ${before.hashes.sha512?.slice(0, 16)}…, this file ${file.hashes.sha512.slice(0, 16)}…), and devices may have it. Give the new bytes a new version. Nothing was changed.`,
  );
}

/** `a-1.0.0` version 2.0.0 and `a` version 1.0.0-2.0.0 would be the same file. */
function requireFree({ next }: State, path: string, entry: ReleaseEntry): void {
  const present = readEntry(next[entry.kind]?.signed.targets[path]?.custom);
  if (present?.withdrawn !== undefined) {
    throw new StewardError(
      "repository_conflict",
      `${path} is withdrawn ("${present.withdrawn}") and stays withdrawn. Give the release a new version. Nothing was changed.`,
    );
  }
  if (
    !present ||
    (present.name === entry.name && present.version === entry.version && present.arch === entry.arch)
  )
    return;
  throw new StewardError(
    "repository_conflict",
    `${path} is already the file of ${present.name} ${present.version} for ${present.arch}. Give another name or version. Nothing was changed.`,
  );
}

/** Selects releases. */
export interface Selection extends Pick<ReleaseEntry, "kind" | "name" | "version" | "channel"> {
  /** undefined: all of them. */
  readonly arch?: string | undefined;
}

/** Marks releases as withdrawn: devices that have not installed them never do. Throws `not_found`. */
export async function withdrawRelease(
  workspace: Workspace,
  { selection, reason, keys }: { selection: Selection; reason: string; keys: readonly SigningKey[] },
): Promise<AddResult> {
  const state = await readState(workspace);
  const drafted = selectReleases(workspace, state, selection).map(({ entry, ...one }) => {
    return { ...one, entry: checkEntry({ ...entry, withdrawn: reason }) };
  });
  return draftTargets(workspace, state, selection.kind, { keys, drafted });
}

/** The releases that a selection names, one for each architecture. Throws `not_found` where there is none. */
export function selectReleases(
  { directory }: Workspace,
  { next }: State,
  { kind, name, version, channel, arch }: Selection,
): readonly ReleaseTarget[] {
  const found = releasesIn(next[kind]?.signed.targets).filter(({ entry }) => {
    const isNamed = entry.name === name && entry.version === version && entry.channel === channel;
    return isNamed && (arch === undefined || entry.arch === arch);
  });
  if (found.length > 0) return found;
  throw new StewardError(
    "not_found",
    `There is no ${kind} ${name} ${version} in the channel ${channel}. See: steward-publisher inspect ${directory}`,
  );
}

interface TargetChange {
  readonly drafted: readonly ReleaseTarget[];
  readonly keys: readonly SigningKey[];
  readonly patches?: readonly DraftedPatch[];
  /** Paths that are no longer on offer. */
  readonly dropped?: ReadonlySet<string>;
}

/** Changes releases in the draft of their role, and signs it with those of `keys` that count for it. */
export async function draftTargets(
  workspace: Workspace,
  state: State,
  role: ReleaseRole,
  { drafted, keys, patches = [], dropped = new Set() }: TargetChange,
): Promise<AddResult> {
  const entries = drafted.map(({ path, file: { length, hashes }, entry }) => [
    path,
    { length, hashes, custom: entry },
  ]);
  const before = Object.entries(state.next[role]?.signed.targets ?? {});
  const targets = Object.fromEntries([
    ...before.filter(([path]) => !dropped.has(path)),
    ...entries,
    ...patches.map(({ path, file }) => [path, file] as const),
  ]);
  const { version, lacking: lacks, fillings } = await draftRole(workspace, state, role, { targets, keys });
  return { role, version, targets: drafted, lacking: lacks, fillings };
}

/** The draft of a role with these targets, signed with those of `keys` that count for it. */
export async function draftRole(
  workspace: Workspace,
  state: State,
  role: ReleaseRole,
  { targets, keys }: { targets: Targets["targets"]; keys: readonly SigningKey[] },
): Promise<Omit<AddResult, "role" | "targets"> & { readonly bytes: number }> {
  const signed = state.next[role]?.signed;
  if (!signed) {
    throw new StewardError(
      "repository_conflict",
      `The role ${role} has no metadata to add to. See: steward-publisher inspect ${workspace.directory}`,
    );
  }
  const content: Targets = { ...signed, targets };
  const file = signWith(role, await draftOf(workspace, state, role, content), keys, state);
  await writeDraft(workspace, role, file);
  return {
    version: file.signed.version,
    lacking: lacking(role, file, state),
    fillings: fillingsOf({ ...noRoleFiles, [role]: file }, workspace.directory),
    bytes: file.bytes.length,
  };
}
