import type { HistoryEntry, UpdateTrial } from "../../contract/types.ts";

interface Named {
  readonly kind: string | null;
  readonly name: string | null;
  readonly version: string | null;
}

/** `rules base 1.3.0`, as far as it is known. */
export function releaseWords({ kind, name, version }: Named): string {
  const words = [kind, name, version].filter((word) => word !== null);
  return words.length === 0 ? "a release" : words.join(" ");
}

/** `2 of 6 healthy`: answers in a row, of those that a release needs. */
export function healthWords({ successes, needed }: UpdateTrial["health"]): string {
  return `${successes} of ${needed} healthy`;
}

/** The result of an attempt in a few sentences. */
export function outcomeSentence(entry: HistoryEntry): string {
  const release = releaseWords(entry);
  const why = entry.reason.detail;
  const place = entry.from_version === null ? "" : `, in place of ${entry.from_version}`;
  switch (entry.outcome) {
    case "good":
      return `${release} is installed${place}. ${why}`;
    case "failed":
      return `${release} failed and was undone. ${why} ${restored(entry)}`;
    case "deferred":
      return `${release} was undone and is tried again later. ${why} ${restored(entry)}`;
    case "aborted":
      // The package is what runs, and nothing is held against the release.
      if (entry.reason.code === "overtaken") return `${release} was undone. ${why}`;
      return `${release} was undone and is held. ${why} ${restored(entry)}`;
    case "rolled_back":
      return `${release} was rolled back and is held. ${why} ${restored(entry)}`;
    case "refused":
      return `${release} was refused; nothing was changed. ${why}`;
  }
}

/** `from_version` is the previous release, except after a rollback, where it is the release itself; null: there was none. */
function restored({ from_version, version, restored_healthy }: HistoryEntry): string {
  if (from_version === null) return "No release of an update was installed before it.";
  const former = from_version === version ? "The previous release" : from_version;
  if (restored_healthy === null) return `${former} is installed again.`;
  if (restored_healthy) return `${former} is installed again and healthy.`;
  return `${former} is installed again and has not proved healthy.`;
}
