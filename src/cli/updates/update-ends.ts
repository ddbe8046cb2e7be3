import type { Release, ReleaseHold, Updates } from "../../contract/types.ts";
import { notSynchronised } from "../client/command.ts";
import { releaseWords } from "./update-words.ts";

/** The exit codes of `steward update check` and `apply`: their help, the manual page and docs/updates/operate.md have them. */
export const updateExitCodes = [
  [
    "0",
    "check: there is nothing newer, or it is installed or waiting; apply: everything is installed and healthy",
  ],
  ["1", "the check or a download failed, one kind cannot be verified, or a release was refused or undone"],
  ["5", "updates are not set up, or another one is in progress; apply: nothing is available"],
  ["7", "another check is in progress or has just ended"],
  ["8", "the agent does not answer"],
  ["9", "the clock must be corrected first"],
] as const;

/** Holds of a release that something went wrong with; with the others it only waits. */
const failures: readonly ReleaseHold["code"][] = [
  "download_failed",
  "refused",
  "installer_unavailable",
  "journal_unreadable",
];

/** The exit code that these kinds deserve, whatever was applied. A script must learn that one of them has failed. */
export function exitOf(ended: Updates, kinds: readonly Release["kind"][]): number {
  if (ended.state === "waiting_for_clock") return notSynchronised;
  const codes = kinds.flatMap((kind) => ended.blockers?.[kind]?.code ?? []);
  if (codes.some((code) => code !== "clock_not_synchronised")) return 1;
  if (kinds.some((kind) => hasFailed(ended.available[kind]))) return 1;
  return codes.length > 0 ? notSynchronised : 0;
}

/** A sentence for each of these kinds that could not be verified, fetched or applied. */
export function failureSentences(ended: Updates, kinds: readonly Release["kind"][]): string[] {
  return kinds.flatMap((kind) => {
    const blocker = ended.blockers?.[kind];
    if (blocker) return [`Nothing was applied for ${kind}. ${blocker.detail}`];
    const release = ended.available[kind];
    return release && hasFailed(release) ? [notApplied(release, ended)] : [];
  });
}

/** A hold of a staged release does not keep it from being applied on request. */
export function notApplied(release: Release, { summary }: Updates): string {
  const why = release.staged && !hasFailed(release) ? summary : (release.hold ?? summary);
  return `${releaseWords(release)} was not applied. ${why.detail}`;
}

function hasFailed(release: Release | null): boolean {
  return release?.hold != null && failures.includes(release.hold.code);
}
