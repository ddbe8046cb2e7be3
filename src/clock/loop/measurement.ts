import type { Settings } from "../../contract/types.ts";
import type { Action, Measurement } from "../discipline/discipline.ts";
import { disagrees } from "../ntp/second-opinion.ts";
import type { ClockParts } from "./clock-parts.ts";
import { implausible, type Verdict, verdictOf, verdictWithout } from "./verdict.ts";

/** What a measurement round is for. Read when its measuring is done, so that later requests can join it. */
export interface RoundOptions {
  /** Exchanges with each server. */
  readonly burst: number;
  isStepAllowed: boolean;
  isRequested: boolean;
  isForced: boolean;
  /** The agent stops: nothing follows from the round. */
  isAbandoned?: boolean;
}

/** A further request joins a running round; possible until its measuring is done. */
export function joinRound(
  options: RoundOptions,
  { isStepAllowed, isForced }: Pick<RoundOptions, "isStepAllowed" | "isForced">,
): void {
  options.isRequested ||= isStepAllowed;
  options.isStepAllowed ||= isStepAllowed;
  options.isForced ||= isForced;
}

/** A round of the agent's own measurement. */
export interface Round {
  readonly verdict: Verdict;
  /** At least one source has answered in this round. */
  readonly isAnswered: boolean;
  /** What the sources agreed on; null: they did not. */
  readonly measurement: Measurement | null;
  /** What was done to the steered clock. */
  readonly action: Action | null;
  /** What the host's own clock lacked before that (s). */
  readonly hostOffsetSeconds: number | null;
  /** The second opinion on the leading source, where it gives another time. */
  readonly contradiction: { readonly source: string; readonly offsetSeconds: number } | null;
}

/** What the room's own loop adds to the settings of a round. */
export interface RoundRules {
  readonly settings: Settings["time"];
  readonly panicSeconds: number;
  readonly pollSeconds: number;
  /** In this boot the sources have not agreed yet. */
  readonly isFirstOfBoot: boolean;
}

const nothing = {
  isAnswered: false,
  measurement: null,
  action: null,
  hostOffsetSeconds: null,
  contradiction: null,
} as const;

/** The clock was changed from outside while it was measured. */
export const disturbedRound: Round = { ...nothing, verdict: { kind: "disturbed" } };

export const roundWithoutServers: Round = { ...nothing, verdict: { kind: "no_servers" } };

const abandonedRound: Round = { ...nothing, verdict: { kind: "no_time_source" } };

/** Seconds; a second opinion is asked before the clock moves by more than it could tell apart. */
const opinionThresholdSeconds = 0.128;

/** What the servers say once they were asked, and what is done to the clock for it. Never rejects for what comes from the network. */
export async function concludeRound(
  parts: ClockParts,
  options: RoundOptions,
  rules: RoundRules,
): Promise<Round> {
  const { pool, steering } = parts;
  const { selection, measurement } = pool.ballot(rules.settings.min_agreeing);
  const isAnswered = pool.sources().some((source) => source.failure() === null);
  if (!measurement) return { ...nothing, isAnswered, verdict: verdictWithout(selection) };
  const contradiction = await contradictionOf(parts, measurement, rules);
  if (options.isAbandoned) return abandonedRound;
  const hostOffsetSeconds = steering.hostOffsetSeconds() + measurement.offsetSeconds;
  const measured = { isAnswered, measurement, action: null, hostOffsetSeconds, contradiction };
  // Against a single server the second opinion is a veto, against several that agree a remark.
  if (contradiction && measurement.agreeing === 1) {
    const { source: id, offsetSeconds: seconds } = contradiction;
    return { ...measured, verdict: { kind: "suspect", id, seconds } };
  }
  const measuredSeconds = steering.read().wallSeconds + measurement.offsetSeconds;
  const bounds = { floorSeconds: parts.floor.atSeconds(), ceilingSeconds: parts.floor.ceilingSeconds() };
  const refusal = implausible(measuredSeconds, bounds);
  if (refusal) return { ...measured, verdict: refusal };
  const { isStepAllowed, isRequested, isForced } = options;
  const action = steering.apply(measurement, {
    ...{ isStepAllowed, isRequested, isForced },
    ...{ panicSeconds: rules.panicSeconds, pollSeconds: rules.pollSeconds },
    nowSeconds: steering.read().monotonicSeconds,
  });
  return { ...measured, action, verdict: verdictOf(action, measurement) };
}

/**
 * A second client's opinion on the leading source: before a correction that it could tell apart, and at the first round
 * of each boot, when nothing that was measured before could show that a lone server lies. null: it agrees, or is silent.
 */
async function contradictionOf(
  { pool, counters, askSecondOpinion }: ClockParts,
  { offsetSeconds }: Measurement,
  { isFirstOfBoot }: RoundRules,
): Promise<Round["contradiction"]> {
  if (!isFirstOfBoot && Math.abs(offsetSeconds) < opinionThresholdSeconds) return null;
  const source = pool.last()?.peer;
  const address = pool
    .sources()
    .find(({ id }) => id === source)
    ?.address();
  if (!source || !address) return null;
  const opinion = await askSecondOpinion(address);
  if (opinion.kind === "opinion") counters.add("opinions");
  if (opinion.kind === "none" || !disagrees(offsetSeconds, opinion)) return null;
  counters.add("suspects");
  return { source, offsetSeconds: opinion.offsetSeconds };
}
