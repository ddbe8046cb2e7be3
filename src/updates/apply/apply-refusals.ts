import { StewardError } from "../../contract/errors.ts";
import type { SetAsideRelease } from "../../releases/journal-queries.ts";
import type { UpdateKind } from "../../releases/release.ts";
import { nameOf } from "../status/update-summary.ts";

/** `update_busy`; `what`: is under way. */
export function busyWith(what: string): StewardError {
  return new StewardError(
    "update_busy",
    `Nothing else can be begun now: ${what}. \`steward update status\` tells when that has ended.`,
  );
}

/** `update_not_set_up` */
export function notSetUp(kinds: readonly UpdateKind[]): StewardError {
  const members = kinds.map((kind) => `update.${kind}`).join(" or ");
  return new StewardError(
    "update_not_set_up",
    `The host file of this device does not say how such a release is put to work and known to be well: root has to give it ${members}.`,
  );
}

/** `no_update_available` */
export function nothingAvailable(): StewardError {
  return new StewardError(
    "no_update_available",
    "Nothing newer is known for this device. Look for updates first, or name a directory with a repository.",
  );
}

/** `update_not_acceptable`: what there is has failed here. */
export function hasFailed({ kind, name, version, at, reason }: SetAsideRelease): StewardError {
  const what = nameOf({ kind, name, version });
  return new StewardError(
    "update_not_acceptable",
    `There is nothing but ${what}, which failed here at ${at} (${reason.replace(/\.$/, "")}). A newer release has to be published, or root allows this one by \`steward update apply --again\`.`,
  );
}

/** `nothing_to_roll_back` */
export function noneBefore(kind: UpdateKind): StewardError {
  const what = kind === "rules" ? "rules" : "binary";
  return new StewardError(
    "nothing_to_roll_back",
    `This device has no ${what} release before the present one that proved healthy here and is still on it.`,
  );
}

/** `below_floor` */
export function belowFloor(version: string, floor: string): StewardError {
  return new StewardError(
    "below_floor",
    `The release before is ${version}, and its publisher allows nothing below ${floor} any more.`,
  );
}

/** `internal_error`: root's side was asked, and the journal says nothing of it. */
export function withoutWord(): StewardError {
  return new StewardError(
    "internal_error",
    "Root's side was asked and has ended without a word in the journal of releases. Look at its log: `journalctl -u 'steward-install@*'`.",
  );
}

/** `no_update_available`: what was asked for is not there after all. */
export function noneToApply(why: string | null): StewardError {
  return new StewardError(
    "no_update_available",
    `There was nothing to apply after all${why === null ? "." : `: ${why}`}`,
  );
}
