import { hindranceOf } from "./hindrance.ts";
import { circumstancesOf, type StatusParts } from "./update-status.ts";

/** Whether something can go on now that somebody vouches for the clock: a check, or the fetching of what it found. */
export function hasWaitedForClock(parts: Pick<StatusParts, "options" | "trust" | "downloads">): boolean {
  const { record, isClockVouchedFor, settings } = parts.options;
  if (!isClockVouchedFor() || !settings().ota.verify_signature) return false;
  const { last_check, available } = record.read();
  if (last_check?.outcome === "waiting_for_clock") return true;
  const circumstances = circumstancesOf(parts);
  return [available.rules, available.binary].some(
    (release) =>
      release !== null &&
      !parts.downloads.isStaged(release.id) &&
      hindranceOf(release, circumstances) === null,
  );
}
