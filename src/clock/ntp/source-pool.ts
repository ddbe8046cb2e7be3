import type { TimeServer } from "../../contract/clock/time-server.ts";
import type { Settings } from "../../contract/types.ts";
import type { DatagramAddress, Leap } from "../../host/ports.ts";
import { isMajority, type Measurement } from "../discipline/discipline.ts";
import { nextPeer, noPeer } from "../select/peer-hysteresis.ts";
import { type Selection, select, uncertaintyOf } from "../select/select.ts";
import type { Candidate } from "../select/select-intersection.ts";
import { combine } from "./combine.ts";
import { estimateOf, rootDistance, type SourceEstimate } from "./sample-filter.ts";
import { type PollRequest, Source, type SourceOptions } from "./source.ts";

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

/** A server as the settings name it, and the kiss-o'-death by which it refuses this device. */
export interface Refusal {
  readonly server: string;
  readonly cause: string;
}

/** The time servers of the settings, asked together. */
export class SourcePool {
  readonly #options: SourceOptions;
  #sources: readonly Source[] = [];
  #isAuthenticatedOnly = false;
  #last: { ballot: Ballot; moved: number } | null = null;
  #peer = noPeer;
  #usedUntil = Number.NEGATIVE_INFINITY;

  constructor(options: Omit<SourceOptions, "isTaken">) {
    const isTaken = (address: DatagramAddress, by: string): boolean =>
      this.#sources.some((source) => source.id !== by && isSame(source.address(), address));
    this.#options = { ...options, isTaken };
  }

  /** Keeps the sources that are still named, with their samples; forgets the others. */
  configure(servers: readonly TimeServer[], isAuthenticatedOnly: boolean): void {
    const known = this.#sources;
    this.#sources = servers.map(
      ({ host, nts }) =>
        known.find((source) => source.id === host && source.nts === nts) ??
        new Source({ host, nts }, this.#options),
    );
    const isSameSet =
      known.length === servers.length && this.#sources.every((source) => known.includes(source));
    if (!isSameSet || isAuthenticatedOnly !== this.#isAuthenticatedOnly) this.#last = null;
    this.#isAuthenticatedOnly = isAuthenticatedOnly;
  }

  sources(): readonly Source[] {
    return this.#sources;
  }

  /** False where the settings let only authenticated servers count, and this is not one. */
  isAdmitted({ nts }: Source): boolean {
    return nts || !this.#isAuthenticatedOnly;
  }

  /** The first server that refuses this device. */
  refusal(): Refusal | null {
    const refusals = this.#admitted().flatMap((source) => {
      const cause = /^kiss (DENY|RSTR)$/.exec(source.failure() ?? "")?.[1];
      return cause === undefined ? [] : [{ server: source.id, cause }];
    });
    return refusals[0] ?? null;
  }

  /** Polls all sources side by side. Never rejects. */
  async poll(request: PollRequest): Promise<void> {
    await Promise.all(this.#admitted().map((source) => source.poll(request)));
  }

  /** The clock's lack with provisional sources counted; null where none is provisional, or they do not agree. */
  provisionalOffset(minAgreeing: number | null): number | null {
    if (!this.#admitted().some((source) => source.isProvisional())) return null;
    const selection = this.#select(this.#rated(), minAgreeing);
    return selection.kind === "agreed" ? selection.offsetSeconds : null;
  }

  /** Has the provisional sources confirm what they said, at this time in seconds since 1970. Never rejects. */
  async confirm(atSeconds: number, request: PollRequest): Promise<void> {
    const provisional = this.#admitted().filter((source) => source.isProvisional());
    await Promise.all(provisional.map((source) => source.confirm(atSeconds, request)));
  }

  /**
   * Selects among what they say now. `minAgreeing`: how many must agree for a time to be accepted; null: one where one
   * server is set, else two. A trusted time takes a majority of all (`isMajority`), and so does any time where only
   * authenticated servers count. Provisional sources do not count.
   */
  ballot(minAgreeing: number | null): Ballot {
    const ratedSources = this.#rated();
    const selection = this.#selectConfirmed(ratedSources, minAgreeing);
    this.#peer = nextPeer(this.#peer, selection.kind === "agreed" ? selection.survivors : []);
    const before = this.#last?.ballot ?? null;
    const measurement = measurementOf(selection, ratedSources, before, this.#usedUntil);
    this.#usedUntil = Math.max(this.#usedUntil, measurement?.atSeconds ?? this.#usedUntil);
    const leap = leapOf(selection, ratedSources);
    const ballot = { selection, ratedSources, peer: this.#peer.peer, leap, measurement };
    this.#last = { ballot, moved: this.#options.moved() };
    return ballot;
  }

  /** The last ballot; its offsets are against the clock as it is now. */
  last(): Ballot | null {
    return this.#last && shifted(this.#last.ballot, this.#options.moved() - this.#last.moved);
  }

  /** Forgets all samples: another clock is measured from now on, or this one was changed from outside. */
  forget(): void {
    for (const source of this.#sources) source.forget();
    this.#last = null;
  }

  #admitted(): Source[] {
    return this.#sources.filter((source) => this.isAdmitted(source));
  }

  #rated(): RatedSource[] {
    return this.#admitted().map((source) => rate(source, this.#options.monotonic()));
  }

  /** If the confirmed ones give no time, the reason is that of all: it counts those that wait for a majority too. */
  #selectConfirmed(rated: readonly RatedSource[], minAgreeing: number | null): Selection {
    const confirmed = rated.filter(({ source }) => !source.isProvisional());
    const selection = this.#select(confirmed, minAgreeing);
    if (selection.kind === "agreed" || confirmed.length === rated.length) return selection;
    const ofAll = this.#select(rated, minAgreeing);
    return ofAll.kind === "agreed" ? selection : ofAll;
  }

  #select(rated: readonly RatedSource[], minAgreeing: number | null): Selection {
    const rules = { min_agreeing: minAgreeing, authenticated_only: this.#isAuthenticatedOnly };
    return select(
      rated.flatMap((one) => candidateOf(one.source.id, one)),
      { minAgreeing: agreeingNeeded(this.#admitted().length, rules) },
    );
  }
}

/** The number of admitted servers that must agree for their time to be accepted. */
export function agreeingNeeded(
  admitted: number,
  rules: Pick<Settings["time"], "min_agreeing" | "authenticated_only">,
): number {
  const usual = rules.min_agreeing ?? (admitted === 1 ? 1 : 2);
  return rules.authenticated_only ? Math.max(usual, Math.floor(admitted / 2) + 1) : usual;
}

function isSame(one: DatagramAddress | null, other: DatagramAddress): boolean {
  return one?.address === other.address && one.port === other.port;
}

function rate(source: Source, nowSeconds: number): RatedSource {
  const estimate = source.reach() !== 0 ? estimateOf(source.register(), nowSeconds) : null;
  return { source, estimate, distanceSeconds: estimate && rootDistance(estimate, nowSeconds) };
}

/** The clock was moved forward by so many seconds since: each offset is less by as much. */
function shifted(ballot: Ballot, seconds: number): Ballot {
  const ratedSources = ballot.ratedSources.map(({ estimate, ...rated }) => ({
    ...rated,
    estimate: estimate && { ...estimate, offsetSeconds: estimate.offsetSeconds - seconds },
  }));
  return { ...ballot, ratedSources };
}

/** None without an estimate. */
export function candidateOf(
  id: string,
  { estimate, distanceSeconds }: Pick<RatedSource, "estimate" | "distanceSeconds">,
): Candidate[] {
  if (!estimate || distanceSeconds === null) return [];
  const { offsetSeconds, jitterSeconds, sample } = estimate;
  const { stratum } = sample;
  return [{ id, offsetSeconds, jitterSeconds, stratum, rootDistanceSeconds: distanceSeconds }];
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
    isAuthenticated: isAuthenticated([...survivors, ...outliers], ratedSources),
  };
}

/** A single server is as authenticated as its answer; several take a majority. */
function isAuthenticated(agreeing: readonly string[], ratedSources: readonly RatedSource[]): boolean {
  const configured = ratedSources.length;
  const authentic = ratedSources.filter(({ source }) => source.nts && agreeing.includes(source.id)).length;
  return configured === 1 ? authentic === 1 : isMajority({ agreeing: authentic, configured });
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
