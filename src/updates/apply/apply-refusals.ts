import { StewardError } from "../../contract/errors.ts";
import { releaseName } from "../../contract/update-facts.ts";
import type { SetAsideRelease } from "../../releases/journal-queries.ts";
import { reasonOf } from "../../releases/outcome-reasons.ts";
import type { UpdateKind } from "../../releases/release.ts";
import type { ReleaseName } from "../facts/updater-options.ts";

/** `update_busy`; `what` is in progress. */
export function busyWith(what: string): StewardError {
  return new StewardError(
    "update_busy",
    `An update is in progress: ${what}. Try again when it has ended; \`steward update status\` shows it.`,
  );
}

/** `update_not_set_up` */
export function notSetUp(kinds: readonly UpdateKind[]): StewardError {
  const members = kinds.map((kind) => `update.${kind}`).join(" or ");
  return new StewardError(
    "update_not_set_up",
    `The host file of this device does not say how such a release is activated and how its health is checked. Root must add ${members}.`,
  );
}

/** `no_update_available` */
export function nothingAvailable(): StewardError {
  return new StewardError(
    "no_update_available",
    "No newer release for this device is known. Check for updates first, or name a directory with a repository.",
  );
}

/** `update_not_acceptable`: the only release there is has failed here. */
export function hasFailed({ name, version, at, reason, cause }: SetAsideRelease): StewardError {
  return new StewardError(
    "update_not_acceptable",
    `${releaseName({ name, version })} failed on this device at ${at}, and there is no other. ${reasonOf(reason, cause).detail} Publish a newer release, or allow this one as root with \`steward update apply --again\`.`,
  );
}

/** `internal_error`: the installer was started, and the journal says nothing of it. */
export function nothingRecorded(): StewardError {
  return new StewardError(
    "internal_error",
    "The installer ended without an entry in the release journal. Look at its log: `journalctl -u 'steward-install@*'`.",
  );
}

/** `no_update_available`: the binary before these rules has failed. */
export function rulesNotTried(rules: ReleaseName): StewardError {
  return new StewardError(
    "no_update_available",
    `${releaseName(rules)} was not tried: its health is asked where the binary answers, and no binary is installed.`,
  );
}

/** `no_update_available`: the requested release turned out not to be there. */
export function noneToApply(why: string | null): StewardError {
  return new StewardError(
    "no_update_available",
    why === null ? "There was nothing to apply." : `There was nothing to apply. ${why}`,
  );
}
