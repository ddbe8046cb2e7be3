import type { Settings } from "../../contract/types.ts";
import type { Action, DisciplineRules, Measurement } from "../discipline/discipline.ts";
import type { Steering } from "../discipline/steering.ts";
import type { AskSecondOpinion } from "../ntp/second-opinion.ts";
import { disagrees } from "../ntp/second-opinion.ts";
import type { SourcePool } from "../ntp/source-pool.ts";
import type { Counters } from "../status/counters.ts";
import { implausible, type Verdict, verdictOf, verdictWithout } from "./verdict.ts";

/** A round of our own: ask the servers, let them vote, and do to the clock what follows. */
export interface OwnTime {
  /** Never rejects for what comes from the network. */
  round(wish: RoundWish): Promise<OwnRound>;
}

/** What is wanted of a round. Read when its measuring is done, so that whoever joins it is heard too. */
export interface RoundWish {
  /** Exchanges with each server. */
  readonly burst: number;
  isStepAllowed: boolean;
  isRequested: boolean;
  isForced: boolean;
  /** Nobody waits for it any more, as at a stop: nothing follows from it. */
  isAbandoned?: boolean;
}

/** One more asks for what the round does; heard until its measuring is done. */
export function joinRound(
  wish: RoundWish,
  { isStepAllowed, isForced }: Pick<RoundWish, "isStepAllowed" | "isForced">,
): void {
  wish.isRequested ||= isStepAllowed;
  wish.isStepAllowed ||= isStepAllowed;
  wish.isForced ||= isForced;
}

export interface OwnRound {
  readonly verdict: Verdict;
  /** Some source has answered in this round. */
  readonly isAnswered: boolean;
  /** What the sources agreed on; null: they did not. */
  readonly measurement: Measurement | null;
  /** What was done. */
  readonly action: Action | null;
  /** What the host's own clock lacked before that (s). */
  readonly hostOffsetSeconds: number | null;
}

export interface OwnTimeOptions {
  readonly pool: SourcePool;
  readonly steering: Steering;
  readonly counters: Counters;
  readonly askSecondOpinion: AskSecondOpinion;
  readonly settings: () => Settings["time"];
  readonly panicSeconds: () => number;
  readonly pollSeconds: () => number;
  readonly bounds: () => { floorSeconds: number; ceilingSeconds: number };
  /** Looks whether somebody else moved the clock meanwhile, and if so deals with that. */
  readonly isDisturbed: () => boolean;
  /** A second look does not agree with the sources that do. */
  readonly onContradiction: (id: string, seconds: number) => void;
}

const nothing = { isAnswered: false, measurement: null, action: null, hostOffsetSeconds: null } as const;

const abandoned: OwnRound = { ...nothing, verdict: { kind: "no_time_source" } };

/** Seconds; a second opinion is asked before the clock moves by more than it could tell apart. */
const opinionThresholdSeconds = 0.128;

export function createOwnTime(options: OwnTimeOptions): OwnTime {
  const { pool, steering, counters, settings } = options;
  return {
    round: async (wish) => {
      counters.add("rounds");
      const { servers, min_agreeing } = settings();
      pool.configure(servers);
      if (servers.length === 0) return { ...nothing, verdict: { kind: "no_servers" } };
      await pool.poll(wish.burst);
      if (wish.isAbandoned) return abandoned;
      if (options.isDisturbed()) return { ...nothing, verdict: { kind: "disturbed" } };
      const { selection, measurement } = pool.ballot(min_agreeing);
      const isAnswered = pool.sources().some((source) => source.failure() === null);
      if (!measurement) return { ...nothing, isAnswered, verdict: verdictWithout(selection) };
      const doubt = await secondLook(options, measurement);
      if (wish.isAbandoned) return abandoned;
      const hostOffsetSeconds = steering.hostOffsetSeconds() + measurement.offsetSeconds;
      const measured = { isAnswered, measurement, action: null, hostOffsetSeconds };
      if (doubt) return { ...measured, verdict: doubt };
      const measuredSeconds = steering.read().wallSeconds + measurement.offsetSeconds;
      const refusal = implausible(measuredSeconds, options.bounds());
      if (refusal) return { ...measured, verdict: refusal };
      const action = steering.apply(measurement, rulesOf(options, wish));
      return { ...measured, action, verdict: verdictOf(action, measurement) };
    },
  };
}

function rulesOf(options: OwnTimeOptions, wish: RoundWish): DisciplineRules {
  const { isStepAllowed, isRequested, isForced } = wish;
  const panicSeconds = options.panicSeconds();
  const nowSeconds = options.steering.read().monotonicSeconds;
  const pollSeconds = options.pollSeconds();
  return { panicSeconds, isStepAllowed, isRequested, isForced, nowSeconds, pollSeconds };
}

/** Before a step: against a single source the second opinion is a veto, against several that agree a remark. */
async function secondLook(options: OwnTimeOptions, measurement: Measurement): Promise<Verdict | null> {
  const { pool, counters } = options;
  if (Math.abs(measurement.offsetSeconds) < opinionThresholdSeconds) return null;
  const id = pool.last()?.peer;
  const address = pool
    .sources()
    .find((source) => source.id === id)
    ?.address();
  if (!id || !address) return null;
  const opinion = await options.askSecondOpinion(address);
  if (opinion.kind === "opinion") counters.add("opinions");
  if (opinion.kind === "none" || !disagrees(measurement.offsetSeconds, opinion)) return null;
  counters.add("suspects");
  options.onContradiction(id, opinion.offsetSeconds);
  return measurement.agreeing > 1 ? null : { kind: "suspect", id, seconds: opinion.offsetSeconds };
}
