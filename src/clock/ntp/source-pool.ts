import type { DatagramAddress, Leap } from "../../host/ports.ts";
import type { Measurement } from "../discipline/discipline.ts";
import type { Candidate } from "../select/candidate.ts";
import { nextPeer, noPeer } from "../select/peer-hysteresis.ts";
import { type Selection, select, uncertaintyOf } from "../select/select.ts";
import { combine } from "./combine.ts";
import { estimateOf, rootDistance, type SourceEstimate } from "./sample-filter.ts";
import { Source, type SourceOptions } from "./source.ts";

/** A source as a selection sees it. */
export interface RatedSource {
  readonly source: Source;
  readonly estimate: SourceEstimate | null;
  /** Root distance (s); null without an estimate. */
  readonly distanceSeconds: number | null;
}

/** A selection over all sources, and the measurement that it gives. */
export interface Ballot {
  readonly selection: Selection;
  readonly ratedSources: readonly RatedSource[];
  /** The system peer; it does not change for the noise of one poll. */
  readonly peer: string | null;
  /** The leap second that more than half of those that agree announce; null: no agreement. */
  readonly leap: Leap | null;
  /** null: no agreement. */
  readonly measurement: Measurement | null;
}

/** The time servers of the settings, asked together. */
export interface SourcePool {
  /** Keeps the sources that are still named, with their samples; forgets the others. */
  configure(servers: readonly string[]): void;
  sources(): readonly Source[];
  /** Polls all sources side by side, each so many times. Never rejects. */
  poll(burst: number): Promise<void>;
  /**
   * Selects among what they say now. `minAgreeing`: how many must agree for a time to be accepted; null: one where one
   * server is set, else two. A trusted time takes a majority of all (`isMajority`).
   */
  ballot(minAgreeing: number | null): Ballot;
  /** The last ballot; its offsets are against the clock as it is now. */
  last(): Ballot | null;
  /** Forgets all samples: another clock is measured from now on, or this one was changed from outside. */
  forget(): void;
}

export type PoolOptions = Omit<SourceOptions, "isTaken">;

export function createSourcePool(options: PoolOptions): SourcePool {
  let sources: readonly Source[] = [];
  let last: { ballot: Ballot; moved: number } | null = null;
  let peer = noPeer;
  let usedUntil = Number.NEGATIVE_INFINITY;
  const isTaken = (address: DatagramAddress, by: string): boolean =>
    sources.some((source) => source.id !== by && isSame(source.address(), address));
  return {
    configure: (servers) => {
      const known = new Map(sources.map((source) => [source.id, source]));
      sources = servers.map((id) => known.get(id) ?? new Source(id, { ...options, isTaken }));
      const isSame = servers.length === known.size && servers.every((id) => known.has(id));
      if (!isSame) last = null;
    },
    sources: () => sources,
    poll: async (burst) => {
      await Promise.all(sources.map((source) => source.poll(burst)));
    },
    ballot: (minAgreeing) => {
      const ratedSources = sources.map((source) => rate(source, options.monotonic()));
      const candidates = ratedSources.flatMap(candidateOf);
      const selection = select(candidates, { minAgreeing: minAgreeing ?? (sources.length === 1 ? 1 : 2) });
      peer = nextPeer(peer, selection.kind === "agreed" ? selection.survivors : []);
      const measurement = measurementOf(selection, ratedSources, last?.ballot ?? null, usedUntil);
      usedUntil = Math.max(usedUntil, measurement?.atSeconds ?? usedUntil);
      const ballot = {
        selection,
        ratedSources,
        peer: peer.peer,
        leap: leapOf(selection, ratedSources),
        measurement,
      };
      last = { ballot, moved: options.moved() };
      return ballot;
    },
    last: () => last && shifted(last.ballot, options.moved() - last.moved),
    forget: () => {
      for (const source of sources) source.forget();
      last = null;
    },
  };
}

function isSame(one: DatagramAddress | null, other: DatagramAddress): boolean {
  return one?.address === other.address && one.port === other.port;
}

function rate(source: Source, nowSeconds: number): RatedSource {
  const isHeard = source.denied() === null && source.reach() !== 0;
  const estimate = isHeard ? estimateOf(source.register(), nowSeconds) : null;
  return { source, estimate, distanceSeconds: estimate && rootDistance(estimate, nowSeconds) };
}

/** The clock was moved forward by so many seconds since: each offset is less by as much. */
function shifted(ballot: Ballot, seconds: number): Ballot {
  const ratedSources = ballot.ratedSources.map((rated) => {
    const { estimate } = rated;
    return {
      ...rated,
      estimate: estimate && { ...estimate, offsetSeconds: estimate.offsetSeconds - seconds },
    };
  });
  return { ...ballot, ratedSources };
}

function candidateOf({ source, estimate, distanceSeconds }: RatedSource): Candidate[] {
  if (!estimate || distanceSeconds === null) return [];
  const { offsetSeconds, jitterSeconds, sample } = estimate;
  const { stratum } = sample;
  return [{ id: source.id, offsetSeconds, jitterSeconds, stratum, rootDistanceSeconds: distanceSeconds }];
}

/** By the samples that came after `usedUntil` (monotonic seconds), which were in no measurement yet. */
function measurementOf(
  selection: Selection,
  ratedSources: readonly RatedSource[],
  before: Ballot | null,
  usedUntil: number,
): Measurement | null {
  if (selection.kind !== "agreed") return null;
  const { low, high, jitterSeconds, survivors, outliers, falsetickers } = selection;
  const selected = ratedSources.flatMap(({ source, estimate }) =>
    estimate && survivors.includes(source.id) ? [{ register: source.register(), estimate }] : [],
  );
  const combined = combine(selected, { sinceSeconds: usedUntil, agreedSeconds: selection.offsetSeconds });
  // A majority agrees on no time outside of its interval, whatever the newest samples say.
  const offsetSeconds = Math.min(high, Math.max(low, combined.offsetSeconds));
  return {
    atSeconds: combined.atSeconds,
    offsetSeconds,
    jitterSeconds,
    // Each server has an error of its own: other survivors give another mean, although no clock has moved.
    noiseSeconds: isSameSet(before, survivors)
      ? combined.noiseSeconds
      : Math.hypot(combined.noiseSeconds, combined.scatterSeconds),
    usualNoiseSeconds: combined.usualNoiseSeconds,
    uncertaintySeconds: uncertaintyOf(selection, offsetSeconds),
    agreeing: survivors.length + outliers.length,
    disagreeing: falsetickers.length,
    configured: ratedSources.length,
  };
}

function leapOf(selection: Selection, ratedSources: readonly RatedSource[]): Leap | null {
  if (selection.kind !== "agreed") return null;
  const { survivors, outliers } = selection;
  const agreeing = [...survivors, ...outliers];
  const said = ratedSources.flatMap(({ source, estimate }) =>
    estimate && agreeing.includes(source.id) ? [estimate.sample.leap] : [],
  );
  const isMost = (leap: Leap) => 2 * said.filter((one) => one === leap).length > agreeing.length;
  return (["insert", "delete"] as const).find(isMost) ?? "none";
}

function isSameSet(before: Ballot | null, survivors: readonly string[]): boolean {
  if (before?.selection.kind !== "agreed") return before === null;
  const former = before.selection.survivors;
  return former.length === survivors.length && former.every((id) => survivors.includes(id));
}
