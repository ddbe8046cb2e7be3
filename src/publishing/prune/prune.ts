import { StewardError } from "../../contract/errors.ts";
import type { Targets } from "../../tuf/metadata.ts";
import { draftRole } from "../add.ts";
import type { SigningKey } from "../keys/private-keys.ts";
import { clearPayloads } from "../payload-store.ts";
import { releaseRoles } from "../roles.ts";
import { readState } from "../state.ts";
import type { Workspace } from "../workspace.ts";
import { oldFiles, removeOldFiles } from "./old-files.ts";
import { type PruneRequest, planPrune } from "./prune-plan.ts";

/** A prune as it is planned, before anything is done. */
export type Pruning = Awaited<ReturnType<typeof planPruning>>;

/** A draft without the dropped releases. */
export type PrunedDraft = Awaited<ReturnType<typeof prune>>[number];

/** The plan for the repository as it is now. Throws `not_found` for a version to keep that no release has. */
export async function planPruning(workspace: Workspace, request: PruneRequest) {
  const state = await readState(workspace);
  const plan = planPrune(state, request, workspace.now().getTime() / 1_000);
  const [unknown] = plan.unknownVersions;
  if (unknown !== undefined)
    throw new StewardError(
      "not_found",
      `No release here has the version ${unknown}, which is to be kept. See: steward-publisher inspect ${workspace.directory}. Nothing was changed.`,
    );
  // The files in public/ that are removed.
  return { ...plan, files: await oldFiles(workspace, state) };
}

/**
 * Drafts the metadata without the dropped releases and finished waves, signs them with those of `keys` that count, and
 * removes the files that no device asks for. The payloads of dropped releases stay until a later prune: devices may be
 * fetching them.
 */
export async function prune(
  workspace: Workspace,
  { dropped, finished, files }: Pruning,
  keys: readonly SigningKey[],
) {
  const drafts = [];
  for (const role of releaseRoles) {
    const gone = new Set(dropped.filter(({ kind }) => kind === role).map(({ path }) => path));
    const settled = new Set(finished.filter(({ kind }) => kind === role).map(({ path }) => path));
    if (gone.size + settled.size === 0) continue;
    const state = await readState(workspace);
    const before = state.next[role];
    const targets = Object.entries(before?.signed.targets ?? {})
      .filter(([path]) => !gone.has(path))
      .map(([path, file]) => [path, settled.has(path) ? withoutWaves(file) : file] as const);
    const draft = await draftRole(workspace, state, role, { targets: Object.fromEntries(targets), keys });
    // Bytes of the metadata now; `bytes` are those of the draft.
    drafts.push({ role, ...draft, bytes_before: before?.bytes.length ?? 0 });
  }
  await clearPayloads(workspace, (await readState(workspace)).drafts);
  await removeOldFiles(workspace, files);
  return drafts;
}

type Target = Targets["targets"][string];

function withoutWaves(file: Target): Target {
  const { waves: _, ...custom } = file.custom as Record<string, unknown>;
  return { ...file, custom };
}
