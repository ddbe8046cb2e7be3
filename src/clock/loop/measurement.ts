import { timeServer } from "../../contract/clock/time-server.ts";
import type { Settings } from "../../contract/types.ts";
import type { Measurement } from "../discipline/discipline.ts";
import { disagrees } from "../ntp/second-opinion.ts";
import type { PollRequest } from "../ntp/source.ts";
import { disturbedRound, noMeasurement, type Round, type RoundOptions } from "../state/round.ts";
import { exactSeconds } from "../state/sync-state.ts";
import { implausible, type Verdict, verdictOf, verdictWithout } from "../state/verdict.ts";
import type { ClockParts } from "./clock-parts.ts";

export interface RoundRules {
  readonly settings: Settings["time"];
  readonly panicSeconds: number;
  readonly pollSeconds: number;
  /** By how much the clock may err at present; null: its time is not known. */
  readonly knownSeconds: number | null;
  /** In this boot the sources have not agreed yet. */
  readonly isFirstOfBoot: boolean;
}

/** Seconds; a second opinion is asked before the clock moves by more than it could tell apart. */
const opinionThresholdSeconds = 0.128;

/**
 * Before the time is known, key exchanges cannot judge the dates of certificates. So a time that the sources agree on must
 * be possible, and then each of these servers shows once more who it is, with certificates that are valid at that time
 * (docs/design/trusted-time.md, rule 16). The verdict where that time is impossible; null: go on.
 */
export async function confirmProvisional(
  { pool, steering, floor }: ClockParts,
  request: PollRequest,
  { min_agreeing }: Settings["time"],
): Promise<Verdict | null> {
  const offsetSeconds = pool.provisionalOffset(min_agreeing);
  if (offsetSeconds === null) return null;
  const atSeconds = steering.read().wallSeconds + offsetSeconds;
  const refusal = implausible(atSeconds, floor);
  if (!refusal) await pool.confirm(atSeconds, request);
  return refusal;
}

/** Selects among the answers of a poll, and corrects the clock by them. Never rejects because of the network. */
export async function concludeRound(
  parts: ClockParts,
  options: RoundOptions,
  rules: RoundRules,
): Promise<Round> {
  const { pool, steering } = parts;
  const { selection, measurement } = pool.ballot(rules.settings.min_agreeing);
  const isAnswered = pool.sources().some((source) => source.failure() === null);
  if (!measurement) {
    const { authenticated_only, servers } = rules.settings;
    const authenticated = authenticated_only ? servers.filter((entry) => timeServer(entry).nts).length : null;
    const verdict = verdictWithout(selection, authenticated, pool.refusal());
    return { ...noMeasurement, isAnswered, verdict };
  }
  if (isKnownBetter(measurement, rules)) return { ...noMeasurement, isAnswered, verdict: { kind: "agreed" } };
  const contradiction = await contradictionOf(parts, measurement, rules);
  // Nothing follows from an abandoned round.
  if (options.isAbandoned) return disturbedRound;
  const hostOffsetSeconds = steering.hostOffsetSeconds() + measurement.offsetSeconds;
  const measured = { isAnswered, measurement, action: null, hostOffsetSeconds, contradiction };
  // Against a single server the second opinion is a veto, against several that agree a remark.
  if (contradiction && measurement.agreeing === 1) {
    const { source: id, offsetSeconds: seconds } = contradiction;
    return { ...measured, verdict: { kind: "suspect", id, seconds } };
  }
  const measuredSeconds = steering.read().wallSeconds + measurement.offsetSeconds;
  const refusal = implausible(measuredSeconds, parts.floor);
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
 * A time that may err by more than half a second moves no clock which is known twice as well and does not contradict it:
 * late answers would otherwise put it wrong, or who delays them (docs/design/trusted-time.md, rule 14).
 */
function isKnownBetter(
  { offsetSeconds, uncertaintySeconds }: Measurement,
  { knownSeconds }: Pick<RoundRules, "knownSeconds">,
): boolean {
  const isVague = uncertaintySeconds > exactSeconds && Math.abs(offsetSeconds) <= uncertaintySeconds;
  return isVague && knownSeconds !== null && 2 * knownSeconds < uncertaintySeconds;
}

/** A second client's opinion, before a telling correction and at a boot's first round. null: it agrees, or is silent. */
async function contradictionOf(
  { pool, counters, askSecondOpinion }: ClockParts,
  { offsetSeconds }: Measurement,
  { isFirstOfBoot }: RoundRules,
): Promise<Round["contradiction"]> {
  if (!isFirstOfBoot && Math.abs(offsetSeconds) < opinionThresholdSeconds) return null;
  const peer = pool.last()?.peer;
  const source = pool.sources().find(({ id }) => id === peer);
  const address = source?.address();
  // The other client's question is not authenticated, so it cannot contradict an answer that is.
  if (!source || !address || source.nts) return null;
  const opinion = await askSecondOpinion(address);
  if (opinion.kind === "opinion") counters.add("opinions");
  if (opinion.kind === "none" || !disagrees(offsetSeconds, opinion)) return null;
  counters.add("suspects");
  return { source: source.id, offsetSeconds: opinion.offsetSeconds };
}
