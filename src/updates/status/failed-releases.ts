import { StewardError } from "../../contract/errors.ts";
import type { FailedRelease } from "../../contract/types.ts";
import { installedVersions, type SetAsideRelease, setAsideAt } from "../../releases/journal-queries.ts";
import { reasonOf } from "../../releases/outcome-reasons.ts";
import { compareVersions } from "../../releases/semver.ts";
import type { DismissedFailure, UpdateRecord } from "../../releases/update-record.ts";
import type { CheckParts } from "../check/hold-conditions.ts";

/** The releases that failed on this device, oldest first. */
export function failedReleases({ options, watch }: Pick<CheckParts, "options" | "watch">): FailedRelease[] {
  const installed = installedVersions(watch.journal(), options.installed());
  const { dismissed = [] } = options.record.read();
  return setAsideAt(watch.journal(), options.now())
    .filter(({ why }) => why === "failed")
    .map((one) => {
      const present = installed[one.kind];
      const isOvertaken = present !== null && compareVersions(present, one.version) > 0;
      const isDismissed = dismissed.some((failure) => isOf(failure, one));
      return { ...shownSetAside(one), state: isOvertaken ? "overtaken" : isDismissed ? "dismissed" : "open" };
    });
}

/** The form that the API has. */
export function shownSetAside({ reason, cause, ...release }: SetAsideRelease) {
  return { ...release, reason: reasonOf(reason, cause) };
}

/** This release's failures and its kind's before, for a person; empty: seen to. Throws `not_found`: it did not fail here. */
export function openFailuresUpTo(failed: readonly FailedRelease[], releaseId: string): FailedRelease[] {
  const index = failed.findLastIndex(({ id }) => id === releaseId);
  const release = failed[index];
  if (release === undefined) {
    throw new StewardError(
      "not_found",
      `No release ${releaseId} has failed on this device, or it was allowed again. GET /api/updates lists those that have, in \`failed\`.`,
    );
  }
  return failed.slice(0, index + 1).filter(({ kind, state }) => kind === release.kind && state === "open");
}

/** The record with failures dismissed. Those of releases that are not on the blocklist any more go. */
export function withDismissed(
  present: UpdateRecord,
  failed: readonly FailedRelease[],
  added: readonly FailedRelease[],
): UpdateRecord {
  const isDismissed = (one: FailedRelease) =>
    added.includes(one) || (present.dismissed ?? []).some((failure) => isOf(failure, one));
  const dismissed = failed.filter(isDismissed).map(({ id, at }) => ({ release_id: id, failed_at: at }));
  return { ...present, dismissed };
}

function isOf(
  { release_id, failed_at }: DismissedFailure,
  { id, at }: Pick<FailedRelease, "id" | "at">,
): boolean {
  return release_id === id && failed_at === at;
}
