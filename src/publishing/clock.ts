import { StewardError } from "../contract/errors.ts";
import { draftedRoles } from "./roles.ts";
import { madeAtMember, rfc3339Seconds, type State } from "./state.ts";
import type { Workspace } from "./workspace.ts";

/** Seconds by which the clocks of two machines that sign may differ: more than a time server leaves, less than a period. */
const toleratedSeconds = 600;

/**
 * Throws `repository_conflict` where this machine's clock is behind the time at which the published timestamp, or a draft,
 * was made: metadata that are signed now would expire too early, and would replace good ones.
 */
export function requireClock({ directory, now }: Workspace, { published, drafts }: State): void {
  const isLater = (milliseconds: number): boolean =>
    milliseconds > now().getTime() + toleratedSeconds * 1_000;
  const drafted = draftedRoles.filter((role) => isLater(madeAt(drafts[role])));
  const made = [published.timestamp, ...drafted.map((role) => drafts[role])].map(madeAt).filter(isLater);
  if (made.length === 0) return;
  const renewal = ["steward-publisher renew", directory, ...drafted, "--clock-is-right"].join(" ");
  throw new StewardError(
    "repository_conflict",
    `The clock of this machine is behind: it says ${rfc3339Seconds(now().getTime())}, and ${directory} was signed at ${rfc3339Seconds(Math.max(...made))}. Metadata that are signed now would expire too early, and devices would get no updates. Nothing was changed. Set the clock, such as with: timedatectl set-ntp true. If it is right, and the other one was ahead: ${renewal}`,
  );
}

/** Milliseconds since 1970; NaN: the file does not say it, because another tool made it. */
export function madeAt(file: { readonly signed: object } | null): number {
  const signed = (file?.signed ?? {}) as Readonly<Record<string, unknown>>;
  return Date.parse(String(signed[madeAtMember]));
}

/** A remark where the timestamp that is replaced had expired by this clock, which may then be ahead; else none. */
export function clockRemarks({ directory, now, metadata }: Workspace, { published }: State): string[] {
  const expires = published.timestamp?.signed.expires;
  if (expires === undefined || Date.parse(expires) > now().getTime()) return [];
  return [
    `The timestamp that was published before had expired at ${expires}, and the clock of this machine says ${rfc3339Seconds(now().getTime())}: devices have had no updates since. If they had, then the clock is ahead, or ${directory} is an older copy: before you upload it, compare ${metadata}/timestamp.json with that of the server.`,
  ];
}
