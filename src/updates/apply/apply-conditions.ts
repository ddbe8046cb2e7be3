import { updateKinds } from "../../contract/update-kinds.ts";
import { installedVersions, newestEntry } from "../../releases/journal-queries.ts";
import { reasonOf } from "../../releases/outcome-reasons.ts";
import type { ReleaseJournal } from "../../releases/release-journal.ts";
import type { StoredRelease } from "../../releases/update-record.ts";
import type { CheckScheduler } from "../check/check-scheduler.ts";
import { availableRelease, type CheckParts, holdConditions } from "../check/hold-conditions.ts";
import { type HoldReason, holdBecause } from "../facts/hold-reason.ts";
import type { ApplySituation } from "./apply-decision.ts";
import { type InstallerRequests, refusedSeconds } from "./installer-requests.ts";
import { windowsAt } from "./windows.ts";

/** The parts of the room that applying a release needs. */
export interface ApplyParts extends CheckParts {
  readonly checks: CheckScheduler;
  readonly requests: InstallerRequests;
}

/** True where rules would fail for want of the binary that they are judged by: none was ever installed. */
export function doRulesLackBinary({ options, watch }: Pick<CheckParts, "options" | "watch">): boolean {
  const { binary } = installedVersions(watch.journal(), options.installed());
  return binary === null && options.installer.rulesNeedBinary();
}

/** Rules before a binary, which may need them, unless they lack one. */
export function kindsInOrder(parts: Pick<CheckParts, "options" | "watch">) {
  return doRulesLackBinary(parts) ? updateKinds.toReversed() : updateKinds;
}

/** Releases whose payload is here, in the order in which they are applied. */
export function stagedReleases(
  parts: Pick<CheckParts, "options" | "watch" | "downloads">,
): readonly StoredRelease[] {
  const available = kindsInOrder(parts).map((kind) => availableRelease(parts, kind));
  return available.filter(
    (release) => release !== null && parts.downloads.isStaged(release.id),
  ) as StoredRelease[];
}

/** All that decides whether a release is applied without a request. `busy`: the work in progress, in words. */
export function applySituationOf(parts: ApplyParts, busy: string | null): ApplySituation {
  const { options, watch, requests } = parts;
  const conditions = holdConditions(parts);
  const { rules, binary } = options.record.read().postponed;
  const postponed = [rules, binary].flatMap((one) =>
    one === null ? [] : [[one.release_id, new Date(one.until)] as const],
  );
  return {
    conditions,
    unreadable: watch.unreadable(),
    isConfigured: (kind) => options.installer.isSetUp(kind),
    windows: windowsAt(options.settings().windows, conditions.now),
    postponed: new Map(postponed),
    refused: new Map([...requests.failures(), ...refusedRecently(watch.journal(), conditions.now)]),
    busy,
  };
}

/** A refusal from the future was written by a clock that was wrong: how long ago it was is not known. */
function refusedRecently(journal: ReleaseJournal, now: Date): readonly (readonly [string, HoldReason])[] {
  return updateKinds.flatMap((kind) => {
    const entry = newestEntry(journal, kind);
    if (entry?.outcome !== "refused" || entry.release_id === null) return [];
    const at = Date.parse(entry.at);
    const until = new Date(at + refusedSeconds * 1_000);
    if (at > now.getTime() || until <= now) return [];
    const reason = reasonOf(entry.detail, entry.cause);
    return [[entry.release_id, holdBecause("refused", { reason, until })] as const];
  });
}
