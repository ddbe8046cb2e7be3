import type { HistoryEntry, Release, UpdateProgress, Updates } from "../../../contract/types.ts";

type Kind = Release["kind"];

export interface Work {
  readonly kind: Kind;
  readonly id: string | null;
  readonly name: string | null;
  readonly version: string | null;
  readonly phase: Exclude<UpdateProgress["phase"], "idle" | "checking">;
}

export interface Card {
  readonly version: string | null;
  /** Since when it has been good; null: it came with the device, or that is not recorded. */
  readonly goodSince: string | null;
  /** The installed release was brought back and is not healthy. */
  readonly isBroken: boolean;
  readonly release: Release | null;
  readonly work: Work | null;
  /** Attempts since the installed release proved good that changed nothing in the end, the newest first. */
  readonly attempts: readonly HistoryEntry[];
  /** The version that undoing leads back to. */
  readonly former: string | null;
}

/** Attempts that one card tells of; the history has them all. */
const mostAttempts = 2;

export function cardOf(
  kind: Kind,
  status: Updates,
  entries: readonly HistoryEntry[],
  work: Work | null,
): Card {
  const version = status.installed[kind];
  const release = status.available[kind];
  const own = entries.filter((entry) => entry.kind === kind);
  const { last, former } = knownReleases(entries, kind);
  const lastGood = own.findIndex(({ outcome }) => outcome === "good");
  const later = lastGood === -1 ? own : own.slice(0, lastGood);
  const since = own.find((entry) => entry.outcome === "good" && entry.version === version);
  const ofOffer = release?.hold?.reason ? release.id : null;
  const told = later.filter(
    ({ release_id: id }, index) =>
      id !== ofOffer && later.findIndex((other) => other.release_id === id) === index,
  );
  return {
    version,
    goodSince: since?.at ?? null,
    isBroken: last?.restored_healthy === false,
    release,
    work: work?.kind === kind ? work : null,
    attempts: told.slice(0, mostAttempts),
    former,
  };
}

/** The number of good releases that a device keeps. */
const keptGood = 3;

/**
 * Replays the history of one kind: a good release is put on top of those before it, an undone one taken away. `last`: the
 * last attempt that changed something, or tried to. `former`: the version that undoing leads back to; null: none that is
 * known here.
 */
export function knownReleases(entries: readonly HistoryEntry[], kind: Kind) {
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

/** Phases of a trial. The stream's phase is newer than the one that was read with the trial. */
const trialPhases = ["installing", "confirming", "rolling_back"] as const;

/** The work under way: a trial, or the steps before one; null: nothing, or only a check. */
export function workOf(status: Updates, progress: UpdateProgress | null): Work | null {
  const { trial, available, summary } = status;
  if (trial !== null) {
    const told = trialPhases.find((one) => one === progress?.phase);
    return {
      kind: trial.kind,
      id: trial.id,
      name: trial.name,
      version: trial.version,
      phase: told ?? trial.phase,
    };
  }
  const phase = progress?.phase ?? "idle";
  if (phase === "idle" || phase === "checking") return null;
  const id = progress?.release_id ?? null;
  const release = Object.values(available).find((one) => one?.id === id) ?? summary.releases[0];
  if (!release?.kind) return null;
  return { kind: release.kind, id, name: release.name, version: release.version, phase };
}
