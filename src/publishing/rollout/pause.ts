import { StewardError } from "../../contract/errors.ts";
import { type AddResult, draftTargets, type Selection, selectReleases } from "../add.ts";
import type { SigningKey } from "../keys/private-keys.ts";
import type { Pause, ReleaseEntry } from "../release-entry.ts";
import { readState, rfc3339Seconds } from "../state.ts";
import type { Workspace } from "../workspace.ts";

/**
 * When the wave of a paused release comes: far beyond the support of any device, and a date that every agent reads. So a
 * pause needs no device that knows of pauses.
 */
const never = "2999-12-31T00:00:00Z";

interface Order {
  readonly selection: Selection;
  readonly keys: readonly SigningKey[];
}

/**
 * Puts a release off for every device that has not applied it: its waves begin when it is resumed. A device that has it
 * keeps it. Throws `not_found`, `repository_conflict` for one that is withdrawn or paused.
 */
export async function pauseRelease(workspace: Workspace, order: Order): Promise<AddResult> {
  const at = rfc3339Seconds(workspace.now().getTime());
  return changed(workspace, order, ({ waves, urgent, paused, ...entry }, path) => {
    if (paused) throw conflict(path, `has been paused since ${paused.at}`);
    const before: Pause = { at, ...(waves && { waves }), ...(urgent && { urgent }) };
    return { ...entry, waves: { start: never, steps: [{ percent: 100, after_seconds: 0 }] }, paused: before };
  });
}

/**
 * Continues a paused roll-out: its waves are as much later as it was paused, so the step that was reached stays reached.
 * Throws `not_found`, `repository_conflict` for a release that is not paused.
 */
export async function resumeRelease(workspace: Workspace, order: Order): Promise<AddResult> {
  const now = workspace.now().getTime();
  return changed(workspace, order, ({ paused, waves: _, ...entry }, path) => {
    if (!paused) throw conflict(path, "is not paused");
    const { at, waves, urgent } = paused;
    const laterMilliseconds = Math.max(0, now - Date.parse(at));
    return {
      ...entry,
      ...(waves && {
        waves: { ...waves, start: rfc3339Seconds(Date.parse(waves.start) + laterMilliseconds) },
      }),
      ...(urgent && { urgent }),
    };
  });
}

async function changed(
  workspace: Workspace,
  { selection, keys }: Order,
  change: (entry: ReleaseEntry, path: string) => ReleaseEntry,
): Promise<AddResult> {
  const state = await readState(workspace);
  const drafted = selectReleases(workspace, state, selection).map(({ path, file, entry }) => {
    if (entry.withdrawn !== undefined) throw conflict(path, `is withdrawn ("${entry.withdrawn}")`);
    return { path, file, entry: change(entry, path) };
  });
  return draftTargets(workspace, state, selection.kind, { keys, drafted });
}

function conflict(path: string, why: string): StewardError {
  return new StewardError("repository_conflict", `${path} ${why}. Nothing was changed.`);
}
