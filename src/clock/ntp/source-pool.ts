import type { DatagramAddress, Leap } from "../../host/ports.ts";
import type { Measurement } from "../discipline/discipline.ts";
import type { Candidate } from "../select/candidate.ts";
import { nextPeer, noPeer } from "../select/peer-hysteresis.ts";
import { type Selection, select } from "../select/select.ts";
import { estimateOf, rootDistance, type SourceEstimate } from "./sample-filter.ts";
import { createSource, type Source, type SourceOptions } from "./source.ts";

/** What one source is worth at the moment of a selection. */
export interface RatedSource {
  readonly source: Source;
  readonly estimate: SourceEstimate | null;
  /** Root distance (s); null without an estimate. */
  readonly distanceSeconds: number | null;
}

/** A selection over all sources, and what was measured by it. */
export interface Ballot {
  readonly selection: Selection;
  readonly ratedSources: readonly RatedSource[];
  /** The survivor that the others are led by; it does not change for the noise of one poll. */
  readonly peer: string | null;
  /** What more than half of those that agree announce, for one alone would be a second's step; null: no agreement. */
  readonly leap: Leap | null;
  /** null: no agreement. */
  readonly measurement: Measurement | null;
}

/** The time servers of the settings, asked together. */
export interface SourcePool {
  /** Keeps those that stay, with what they said; the others are forgotten. */
  configure(servers: readonly string[]): void;
  sources(): readonly Source[];
  /** Asks all of them side by side, each so many times. Never rejects. */
  poll(burst: number): Promise<void>;
  /**
   * What they say now. `minAgreeing`: how many must agree for anything to be believed; null: one where there is one
   * server, else two. It makes nothing trusted: that takes a majority of all (`isMajority`).
   */
  ballot(minAgreeing: number | null): Ballot;
  /** The last ballot; its offsets against the clock as it stands now. */
  last(): Ballot | null;
  /** Another clock is measured from now on, or somebody else moved this one: what was said means nothing. */
  forget(): void;
}

export type PoolOptions = Omit<SourceOptions, "isTaken">;

export function createSourcePool(options: PoolOptions): SourcePool {
  let sources: readonly Source[] = [];
  let last: { ballot: Ballot; moved: number } | null = null;
  let peer = noPeer;
  const isTaken = (address: DatagramAddress, by: string): boolean =>
    sources.some((source) => source.id !== by && isSame(source.address(), address));
  return {
    configure: (servers) => {
      const known = new Map(sources.map((source) => [source.id, source]));
      sources = servers.map((id) => known.get(id) ?? createSource(id, { ...options, isTaken }));
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
      const measurement = measurementOf(selection, ratedSources, last?.ballot ?? null);
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

/** The clock was moved forward by so many seconds since: every source has become that much less. */
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

/** As new as the newest of the samples that the agreement rests on. */
function measurementOf(
  selection: Selection,
  ratedSources: readonly RatedSource[],
  before: Ballot | null,
): Measurement | null {
  if (selection.kind !== "agreed") return null;
  const { offsetSeconds, jitterSeconds, uncertaintySeconds, survivors, outliers, falsetickers } = selection;
  const surviving = ratedSources.filter(({ source }) => survivors.includes(source.id));
  const times = surviving.flatMap(({ estimate }) => (estimate ? [estimate.atSeconds] : []));
  return {
    atSeconds: Math.max(...times),
    offsetSeconds,
    jitterSeconds,
    // Servers err each in its own way: other ones bring another mean, and no clock has moved for that.
    noiseSeconds: isSameSet(before, survivors)
      ? noiseOf(surviving)
      : Math.hypot(noiseOf(surviving), jitterSeconds),
    uncertaintySeconds,
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

/** Noise of the mean that is weighted by the reciprocals of the distances, each source's being its own. */
function noiseOf(surviving: readonly RatedSource[]): number {
  const weighted = surviving.flatMap(({ estimate, distanceSeconds }) =>
    estimate && distanceSeconds ? [{ weight: 1 / distanceSeconds, noise: estimate.noiseSeconds }] : [],
  );
  const weights = weighted.reduce((sum, { weight }) => sum + weight, 0);
  return Math.hypot(...weighted.map(({ weight, noise }) => weight * noise)) / weights;
}
