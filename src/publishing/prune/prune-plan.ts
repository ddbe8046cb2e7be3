import { compareVersions } from "../../releases/semver.ts";
import { type ReleaseEntry, type ReleaseTarget, releasesIn } from "../release-entry.ts";
import type { ReleaseRole } from "../roles.ts";
import type { State } from "../state.ts";

/** The releases that a prune keeps. */
export interface PruneRequest {
  readonly kinds: readonly ReleaseRole[];
  /** Newest releases on offer that are kept of each line, at least 1. */
  readonly keep: number;
  /** Versions that are kept of every line. */
  readonly keepVersions: readonly string[];
}

/** A release in the next metadata of its kind. */
export interface PlannedRelease extends ReleaseTarget {
  readonly kind: ReleaseRole;
}

/** The reason to keep an old release. */
export type KeepReason = "asked" | "drafted" | "floor" | "older_agents";

/**
 * The releases that no device can need: those older than the newest ones of their line, where a line is what one device
 * chooses from (kind, product, name, channel, architecture). Of older ones stay those that are asked for or drafted, the
 * highest floor, without which a new device could go below it, and what an older agent can still install. `nowSeconds`
 * since 1970.
 */
export function planPrune(state: State, request: PruneRequest, nowSeconds: number) {
  const all = request.kinds.flatMap((kind) => releasesOf(state, kind));
  const old = new Set(linesOf(all).flatMap((line) => oldOf(line, request, nowSeconds)));
  const spared = sparedOf(all, old, { state, request });
  for (const one of spared.keys()) old.delete(one);
  const kept = all.filter((one) => !old.has(one));
  return {
    dropped: [...old],
    /** Old releases that stay, and why. */
    spared: [...spared].map(([release, why]) => ({ ...release, why })),
    /** Releases that stay, and whose finished waves are dropped: they are within reach of every device. */
    finished: kept.filter(({ entry }) => isFinished(entry, nowSeconds - settledSeconds)),
    /** Number of releases that stay, of this request's kinds. */
    kept: kept.length,
    /** Versions to keep that no release has. */
    unknownVersions: request.keepVersions.filter((one) => all.every(({ entry }) => entry.version !== one)),
  };
}

/** Seconds after the last wave, so that the clock of the publisher's machine cannot end a roll-out by being ahead. */
const settledSeconds = 7 * 86_400;

/** Releases of other tools are left out, so they stay. */
export function releasesOf({ next }: State, kind: ReleaseRole): PlannedRelease[] {
  return releasesIn(next[kind]?.signed.targets).map((one) => ({ kind, ...one }));
}

type Line = readonly PlannedRelease[];

/** Releases by what one device chooses from, the newest first. */
function linesOf(all: Line): readonly Line[] {
  const lines = new Map<string, PlannedRelease[]>();
  for (const one of all) {
    const { kind, product, name, channel, arch } = one.entry;
    const key = [kind, product, name, channel, arch].join(" ");
    const line = lines.get(key) ?? [];
    line.push(one);
    lines.set(key, line);
  }
  return [...lines.values()].map((line) =>
    line.toSorted((one, other) => compareVersions(other.entry.version, one.entry.version)),
  );
}

/** Those below the last of the newest on offer, and below the newest one that every device may have. */
function oldOf(line: Line, { keep }: PruneRequest, nowSeconds: number): Line {
  const onOffer = line.filter(({ entry }) => isOnOffer(entry));
  const last = onOffer[keep - 1];
  const everywhere = onOffer.find(({ entry }) => {
    return entry.waves === undefined || entry.urgent || isFinished(entry, nowSeconds);
  });
  if (last === undefined || everywhere === undefined) return [];
  const isBelow = (one: PlannedRelease, other: PlannedRelease): boolean =>
    compareVersions(one.entry.version, other.entry.version) < 0;
  return line.filter((one) => isBelow(one, last) && isBelow(one, everywhere));
}

export function isOnOffer({ withdrawn, paused }: ReleaseEntry): boolean {
  return withdrawn === undefined && paused === undefined;
}

/** Its last wave had come before that. */
function isFinished({ waves, paused }: ReleaseEntry, beforeSeconds: number): boolean {
  if (waves === undefined || paused !== undefined) return false;
  const last = Date.parse(waves.start) / 1_000 + (waves.steps.at(-1)?.after_seconds ?? 0);
  return last < beforeSeconds;
}

function sparedOf(
  all: Line,
  old: ReadonlySet<PlannedRelease>,
  { state, request }: { state: State; request: PruneRequest },
): ReadonlyMap<PlannedRelease, KeepReason> {
  const found = new Map<PlannedRelease, KeepReason>();
  const spare = (releases: Line, why: KeepReason): void => {
    for (const release of releases) if (old.has(release) && !found.has(release)) found.set(release, why);
  };
  const stays = (one: PlannedRelease): boolean => !old.has(one) || found.has(one);
  spare(
    all.filter(({ entry }) => request.keepVersions.includes(entry.version)),
    "asked",
  );
  spare(
    all.filter((one) => isDrafted(one, state)),
    "drafted",
  );
  for (const line of linesOf(all)) spare(highestFloor(line, stays), "floor");
  for (const line of linesOf(all)) spare(forOlderAgents(line, stays), "older_agents");
  return found;
}

function isDrafted({ kind, path, file }: PlannedRelease, { published }: State): boolean {
  return JSON.stringify(published[kind]?.signed.targets[path]) !== JSON.stringify(file);
}

/** The release whose floor no other one that stays reaches. */
function highestFloor(line: Line, stays: (one: PlannedRelease) => boolean): Line {
  const floors = line.flatMap((one) => {
    const { floor } = one.entry;
    return floor === undefined || one.entry.withdrawn !== undefined
      ? []
      : [{ one, floor, stays: stays(one) }];
  });
  const [highest] = floors.toSorted(
    (a, b) => compareVersions(b.floor, a.floor) || Number(b.stays) - Number(a.stays),
  );
  return highest === undefined ? [] : [highest.one];
}

/** An agent that is too old for what stays: the newest release that asks for less, and so on down to those that ask nothing. */
function forOlderAgents(line: Line, stays: (one: PlannedRelease) => boolean): Line {
  const needed: PlannedRelease[] = [];
  let least = leastAgent(line.filter(stays));
  for (const one of line) {
    const { min_agent } = one.entry;
    if (stays(one) || !isOnOffer(one.entry) || least === undefined) continue;
    if (min_agent !== undefined && compareVersions(min_agent, least) >= 0) continue;
    needed.push(one);
    least = min_agent;
  }
  return needed;
}

/** The oldest agent that can install one of these; undefined: any agent can. */
function leastAgent(line: Line): string | undefined {
  const offers = line.filter(({ entry }) => isOnOffer(entry)).map(({ entry }) => entry.min_agent);
  if (offers.some((agent) => agent === undefined)) return undefined;
  return offers.flatMap((agent) => agent ?? []).toSorted(compareVersions)[0];
}
