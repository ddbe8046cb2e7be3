import { updateKinds } from "../../contract/update-kinds.ts";
import { holdReasonOf } from "../facts/hold-reason.ts";
import type { CheckParts } from "./check-parts.ts";
import { availableRelease, holdConditions } from "./hold-conditions.ts";
import { settingsBlock } from "./settings-block.ts";

/**
 * True where something can go on now that the clock is trusted: a check, or the download of what it found. A download that
 * failed has not waited for the clock; its retry goes by the schedule, and by what the server asked for.
 */
export function hasWaitedForClock(
  parts: Pick<CheckParts, "options" | "trust" | "downloads" | "watch">,
): boolean {
  const { record, isClockTrusted } = parts.options;
  if (!isClockTrusted() || settingsBlock(parts.options) !== null) return false;
  const { last_check, blockers, download_failures } = record.read();
  if (last_check?.outcome === "waiting_for_clock") return true;
  if ([blockers?.rules, blockers?.binary].some((one) => one?.code === "clock_not_synchronised")) return true;
  if (download_failures > 0) return false;
  const conditions = holdConditions(parts);
  const { downloads } = parts;
  return updateKinds.some((kind) => {
    const release = availableRelease(parts, kind);
    if (release === null || downloads.isStaged(release.id) || downloads.failureOf(release.id)) return false;
    return holdReasonOf(release, conditions) === null;
  });
}
