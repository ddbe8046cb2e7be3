import { beginEstimate, type Control, correct, type Estimate, predict, slewRate } from "./estimate.ts";

/** The steered clock by the selected sources, at one poll. */
export interface Measurement {
  /** Monotonic seconds of the newest sample in it. */
  readonly atSeconds: number;
  /** The offset of the clock as it is now; positive: it is behind. */
  readonly offsetSeconds: number;
  readonly jitterSeconds: number;
  /** Standard deviation of the offset for the network's noise. */
  readonly noiseSeconds: number;
  /** The same of most measurements by these sources. */
  readonly usualNoiseSeconds: number;
  readonly uncertaintySeconds: number;
  /** Sources that agree on it, and those that say something else. */
  readonly agreeing: number;
  readonly disagreeing: number;
  /** Servers that are set, whether they answer or not. */
  readonly configured: number;
  /** Those that agree and are authenticated are a majority on their own. */
  readonly isAuthenticated: boolean;
}

/**
 * True if those that agree are more than half of all servers that are set, and more than one: servers that are silent,
 * or whose names lead nowhere, are no votes for the others. RFC 5905 §11.2.1 counts only those that answer, and
 * believes a single source whatever it says.
 */
export function isMajority({ agreeing, configured }: Pick<Measurement, "agreeing" | "configured">): boolean {
  return agreeing > 1 && 2 * agreeing > configured;
}

/** A decision on the clock. Only the loop performs it. */
export type Action =
  | { readonly kind: "none"; readonly why: "within_noise" | "nothing_new" | "to_be_confirmed" }
  | { readonly kind: "slew"; readonly seconds: number; readonly frequencyPpm: number }
  | { readonly kind: "step"; readonly seconds: number; readonly frequencyPpm: number }
  | { readonly kind: "refuse"; readonly why: "panic_threshold"; readonly seconds: number };

export interface DisciplineState {
  readonly estimate: Estimate | null;
  readonly control: Control;
  /** Monotonic seconds of the newest sample that was decided on; null: none was. */
  readonly seenAt: number | null;
  /** Nothing was decided since the boot, so nothing has come to rely on the clock: any step is made at once. */
  readonly isFresh: boolean;
  /** Polls in a row that want the same step, and by how many seconds the last of them. */
  readonly wanted: { readonly polls: number; readonly seconds: number } | null;
}

export interface DisciplineRules {
  readonly panicSeconds: number;
  readonly isStepAllowed: boolean;
  /** A correction was requested: a step needs no further polls. */
  readonly isRequested: boolean;
  /** It was requested in spite of the panic threshold. */
  readonly isForced: boolean;
  /** Monotonic seconds at which the action begins; the samples may be older. */
  readonly nowSeconds: number;
  /** Until the next poll; in so many a trim takes an offset away. */
  readonly pollSeconds: number;
}

/** Seconds: up to here a clock is slewed, above it stepped (RFC 5905 §11.3: STEPT). A slew of so much takes 256 s. */
export const stepThresholdSeconds = 0.128;

/** Seconds: smaller errors are left to the frequency, so that nothing moves for noise. */
const leastSlewSeconds = 100e-6;

/** Polls in a row that must want the same step in service. */
const confirmations = 3;

/** The same for a forward step beyond the panic threshold, as after a pause of the whole machine, and how many must agree. */
const pauseConfirmations = 5;
const pauseSources = 3;

/** s/s: what the frequency may differ from the oscillator's error to take a small offset away. */
const largestTrim = 10e-6;

/** ppm: the kernel's own bound (timex.h: MAXFREQ). */
const largestPpm = 500;

/** The noise of a measurement is never less than this (s): two readings of a clock and a network in between. */
const leastNoiseSeconds = 5e-6;

/** `frequencyPpm`: what the kernel makes up for already. */
export function beginDiscipline(isFresh: boolean, frequencyPpm: number): DisciplineState {
  const control = { frequency: frequencyPpm / 1e6, slewSeconds: 0 };
  return { estimate: null, control, seenAt: null, isFresh, wanted: null };
}

/** Decides on one measurement. `storedPpm`: the oscillator's error as it was known before, where it was. */
export function discipline(
  state: DisciplineState,
  measurement: Measurement,
  rules: DisciplineRules,
  storedPpm: number | null,
): { state: DisciplineState; action: Action } {
  const { atSeconds, offsetSeconds } = measurement;
  const isNew = state.seenAt === null || atSeconds > state.seenAt;
  if (Math.abs(offsetSeconds) >= stepThresholdSeconds) {
    // A measurement confirms nothing when it is looked at again.
    const wanted = isNew ? wantedStep(state.wanted, measurement) : state.wanted;
    return stepOrRefuse({ ...state, seenAt: atSeconds, wanted }, measurement, rules, storedPpm);
  }
  if (!isNew) return { state, action: { kind: "none", why: "nothing_new" } };
  return steer({ ...state, seenAt: atSeconds, wanted: null, isFresh: false }, measurement, rules, storedPpm);
}

function stepOrRefuse(
  state: DisciplineState,
  measurement: Measurement,
  rules: DisciplineRules,
  storedPpm: number | null,
): { state: DisciplineState; action: Action } {
  const seconds = measurement.offsetSeconds;
  const polls = state.wanted?.polls ?? 1;
  const isPanic = !state.isFresh && !rules.isForced && Math.abs(seconds) > rules.panicSeconds;
  if (isPanic && !isPause(measurement, polls))
    return { state, action: { kind: "refuse", why: "panic_threshold", seconds } };
  const isConfirmed = state.isFresh || rules.isRequested || rules.isForced || polls >= confirmations;
  if (!isConfirmed || !rules.isStepAllowed)
    return { state, action: { kind: "none", why: "to_be_confirmed" } };
  const { noiseSeconds } = noiseOf(measurement);
  const atSeconds = rules.nowSeconds;
  const known = state.estimate && predict(state.estimate, atSeconds, state.control);
  const estimate = known
    ? { ...known, offsetSeconds: 0, offsetVariance: noiseSeconds ** 2, covariance: 0 }
    : beginEstimate({ atSeconds, offsetSeconds: 0, noiseSeconds }, storedPpm);
  const frequencyPpm = boundedPpm(estimate.frequency * 1e6);
  const control = { frequency: frequencyPpm / 1e6, slewSeconds: 0 };
  return {
    state: { ...state, estimate, control, isFresh: false, wanted: null },
    action: { kind: "step", seconds, frequencyPpm },
  };
}

/** Forward, by a majority of several sources that none contradicts, for long: the machine was paused, and its clock with it. */
function isPause(measurement: Measurement, polls: number): boolean {
  const { offsetSeconds, agreeing, disagreeing } = measurement;
  const isUndisputed = agreeing >= pauseSources && disagreeing === 0 && isMajority(measurement);
  return offsetSeconds > 0 && isUndisputed && polls >= pauseConfirmations;
}

function wantedStep(
  former: DisciplineState["wanted"],
  { offsetSeconds: seconds, noiseSeconds }: Measurement,
): NonNullable<DisciplineState["wanted"]> {
  const tolerance = Math.max(stepThresholdSeconds, 4 * noiseSeconds);
  const isSame = former !== null && Math.abs(former.seconds - seconds) < tolerance;
  return { polls: isSame ? former.polls + 1 : 1, seconds };
}

/** Small errors: the frequency follows the oscillator; offsets beyond the noise are slewed, smaller ones trimmed. */
function steer(
  state: DisciplineState,
  measurement: Measurement,
  rules: DisciplineRules,
  storedPpm: number | null,
): { state: DisciplineState; action: Action } {
  const { offsetSeconds } = measurement;
  const atSeconds = rules.nowSeconds;
  const { noiseSeconds, deadbandSeconds } = noiseOf(measurement);
  const former = state.estimate && predict(state.estimate, atSeconds, state.control);
  const elapsed = atSeconds - (state.estimate?.atSeconds ?? atSeconds);
  const estimate = former
    ? correct(former, offsetSeconds, Math.hypot(noiseSeconds, slewNoise(state, atSeconds)), elapsed)
    : beginEstimate({ atSeconds, offsetSeconds, noiseSeconds }, storedPpm);
  const isSlewed = Math.abs(estimate.offsetSeconds) >= deadbandSeconds;
  const trim = isSlewed ? 0 : clamp(estimate.offsetSeconds / rules.pollSeconds, largestTrim);
  const frequencyPpm = boundedPpm((estimate.frequency + trim) * 1e6);
  const slewSeconds = isSlewed ? estimate.offsetSeconds : 0;
  const control = { frequency: frequencyPpm / 1e6, slewSeconds };
  return {
    state: { ...state, estimate, control },
    action: { kind: "slew", seconds: slewSeconds, frequencyPpm },
  };
}

/** While a slew is under way (s): the kernel deals it out in whole seconds, 500 µs at the start of each. */
function slewNoise({ estimate, control }: DisciplineState, atSeconds: number): number {
  const remainder =
    Math.abs(control.slewSeconds) - slewRate * (atSeconds - (estimate?.atSeconds ?? atSeconds));
  return remainder > 0 ? slewRate / Math.sqrt(12) : 0;
}

function noiseOf(measurement: Measurement): { noiseSeconds: number; deadbandSeconds: number } {
  const noiseSeconds = Math.max(measurement.noiseSeconds, leastNoiseSeconds);
  return { noiseSeconds, deadbandSeconds: Math.max(3 * noiseSeconds, leastSlewSeconds) };
}

/** A tick set from outside may show as a frequency beyond the kernel's own bound. */
export function boundedPpm(ppm: number): number {
  return clamp(ppm, largestPpm);
}

function clamp(value: number, bound: number): number {
  return Math.max(-bound, Math.min(bound, value));
}
