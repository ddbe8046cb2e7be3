import type { HistoryEntry, UpdateTrial } from "../../contract/types.ts";
import { attemptWords } from "../../contract/update-facts.ts";
import { updateWords } from "../../contract/words/en/updates.ts";

/** `rules base 1.3.0`, as far as it is known. */
export function releaseWords({
  kind,
  name,
  version,
}: Pick<HistoryEntry, "kind" | "name" | "version">): string {
  const words = [kind, name, version].filter((word) => word !== null);
  return words.length === 0 ? "a release" : words.join(" ");
}

/** `2 of 6 healthy`: answers in a row, of those that a release needs. */
export function healthWords({ successes, needed }: UpdateTrial["health"]): string {
  return `${successes} of ${needed} healthy`;
}

export function outcomeSentence(entry: HistoryEntry): string {
  const { outcome, from_version, reason } = entry;
  const end = `${releaseWords(entry)} ${attemptWords(updateWords.attempts, entry)}`;
  const place = outcome === "good" && from_version !== null ? `, in place of ${from_version}` : "";
  // The package that has overtaken a release is what runs.
  const isUndone = outcome !== "good" && outcome !== "refused" && reason.code !== "overtaken";
  return `${end}${place}. ${reason.detail}${isUndone ? ` ${restored(entry)}` : ""}`;
}

/** `from_version` is the previous release, except after a rollback, where it is the release itself; null: there was none. */
function restored({ from_version, version, restored_healthy }: HistoryEntry): string {
  if (from_version === null) return "No release of an update was installed before it.";
  const former = from_version === version ? "The previous release" : from_version;
  if (restored_healthy === null) return `${former} is installed again.`;
  if (restored_healthy) return `${former} is installed again and healthy.`;
  return `${former} is installed again and has not proved healthy.`;
}
