import type { HistoryEntry, Release } from "../../contract/types.ts";

/** The number of good releases that a device keeps. */
const keptGood = 3;

/**
 * Replays the history of one kind: a good release is put on top of those before it, an undone one taken away. `last`: the
 * last attempt that changed something, or tried to. `former`: the version that undoing leads back to; null: none that is
 * known here.
 */
export function knownReleases(entries: readonly HistoryEntry[], kind: Release["kind"]) {
  const own = entries.filter((entry) => entry.kind === kind && entry.outcome !== "refused");
  let good: { readonly id: string | null; readonly version: string | null }[] = [];
  for (const { outcome, release_id: id, version, from_version } of own.toReversed()) {
    // The history was cut here: the version that ran before was good, and was kept.
    if (good.length === 0 && from_version !== null && from_version !== version)
      good.push({ id: null, version: from_version });
    good = good.filter((one) => one.id !== id);
    if (outcome === "good") good = [...good, { id, version }].slice(-keptGood);
  }
  return { last: own[0], former: good.at(-2)?.version ?? null };
}
