import type { HistoryEntry, UpdateTrial } from "../../contract/types.ts";

/** An entry of the history, as the API has it or the journal of releases. */
export type Ending = Omit<Readonly<HistoryEntry>, "log"> & { readonly log: readonly string[] };

interface Named {
  readonly kind: string | null;
  readonly name: string | null;
  readonly version: string | null;
}

/** `rules base 1.3.0`; of a release that nobody knows more of, what is known. */
export function releaseWords({ kind, name, version }: Named): string {
  const words = [kind, name, version].filter((word) => word !== null);
  return words.length === 0 ? "a release" : words.join(" ");
}

/** `2 of 6 healthy`: answers in a row, of those that make a release good. */
export function healthWords({ successes, needed }: UpdateTrial["health"]): string {
  return `${successes} of ${needed} healthy`;
}

/** What became of an attempt, in a few sentences. */
export function outcomeSentence(entry: Ending): string {
  const release = releaseWords(entry);
  const why = entry.detail === "" || /[.!?\u2026]$/.test(entry.detail) ? entry.detail : `${entry.detail}.`;
  const place = entry.from_version === null ? "" : `, in the place of ${entry.from_version}`;
  switch (entry.outcome) {
    case "good":
      return `${release} is in force${place}. ${why}`;
    case "failed":
      return `${release} has failed, and was undone. ${why} ${restored(entry)}`;
    case "deferred":
      return `${release} was undone, to be tried again later. ${why} ${restored(entry)}`;
    case "aborted":
      return `${release} was undone, and is held. ${why} ${restored(entry)}`;
    case "rolled_back":
      return `${release} was rolled back, and is held. ${why} ${restored(entry)}`;
    case "refused":
      return `${release} was refused, and nothing was changed. ${why}`;
  }
}

/** The version is that of the former release, but where somebody has rolled back the one that was good. */
function restored({ from_version, version, restored_healthy }: Ending): string {
  const former = from_version === null || from_version === version ? "The release before" : from_version;
  if (restored_healthy === null) return `${former} is in force again.`;
  if (restored_healthy) return `${former} is in force again, and healthy.`;
  return `${former} is in force again, and has not proved healthy.`;
}
