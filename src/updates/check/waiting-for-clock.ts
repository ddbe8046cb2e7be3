import { updateKinds } from "../../contract/update-kinds.ts";
import { holdReasonOf } from "../facts/hold-reason.ts";
import type { CheckParts } from "./check-parts.ts";
import { availableRelease, holdConditions } from "./hold-conditions.ts";
import { settingsBlock } from "./settings-block.ts";

/** True if something can go on now that the clock is trusted: a check, or the download of what it found. */
export function hasWaitedForClock(
  parts: Pick<CheckParts, "options" | "trust" | "downloads" | "watch">,
): boolean {
  const { record, isClockTrusted } = parts.options;
  if (!isClockTrusted() || settingsBlock(parts.options) !== null) return false;
  const { last_check, blockers } = record.read();
  if (last_check?.outcome === "waiting_for_clock") return true;
  if ([blockers?.rules, blockers?.binary].some((one) => one?.code === "clock_not_synchronised")) return true;
  const conditions = holdConditions(parts);
  return updateKinds.some((kind) => {
    const release = availableRelease(parts, kind);
    return release !== null && !parts.downloads.isStaged(release.id) && !holdReasonOf(release, conditions);
  });
}
