import { phi, type Sample } from "./sample.ts";

/** The last samples of one source, at most `registerLength`, the newest first. */
export type SampleRegister = readonly Sample[];

/** What one source says now: its best sample, and how its others scatter. */
export interface SourceEstimate {
  readonly sample: Sample;
  /** Positive: this host is behind. */
  readonly offsetSeconds: number;
  readonly delaySeconds: number;
  /** RMS of the other samples' offsets against the best one's; at least `leastJitterSeconds`. */
  readonly jitterSeconds: number;
  /** What the best sample's offset may err by for the network's noise (standard deviation), told by the delays alone. */
  readonly noiseSeconds: number;
  /** ε of the best sample at `atSeconds`; it grows by phi from then on. */
  readonly dispersionSeconds: number;
  /** Monotonic seconds of the best sample: a new one corrects the clock only when this is later than the last used. */
  readonly atSeconds: number;
}

/** Samples that the clock filter keeps (RFC 5905 §7.2: NSTAGE). */
const registerLength = 8;

/** Seconds; the precision of a clock that user space reads, 2^-18: no jitter is known better (RFC 5905 §10). */
export const leastJitterSeconds = 2 ** -18;

export const emptyRegister: SampleRegister = [];

/** The register with one more sample; the oldest falls out. */
export function addSample(register: SampleRegister, sample: Sample): SampleRegister {
  return [sample, ...register].slice(0, registerLength);
}

/**
 * The best sample of the register at `nowSeconds` (monotonic); null: there is none.
 *
 * RFC 5905 §10 sorts by delay and ages by dispersion. Here both are one figure, the delay and twice what the two clocks
 * may have drifted since: half the delay bounds a sample's error, and phi × age comes on top of it. Unlike there, an
 * empty place counts nothing, so that the burst at the start is an answer by itself.
 */
export function estimateOf(register: SampleRegister, nowSeconds: number): SourceEstimate | null {
  const [newest, ...older] = register;
  if (newest === undefined) return null;
  const cost = (sample: Sample) => sample.delaySeconds + 2 * phi * Math.max(0, nowSeconds - sample.atSeconds);
  const best = older.reduce((least, sample) => (cost(sample) < cost(least) ? sample : least), newest);
  return {
    sample: best,
    offsetSeconds: best.offsetSeconds,
    delaySeconds: best.delaySeconds,
    jitterSeconds: jitterAround(best, register),
    noiseSeconds: noiseOf(best, register),
    dispersionSeconds: best.dispersionSeconds,
    atSeconds: best.atSeconds,
  };
}

function jitterAround(best: Sample, register: SampleRegister): number {
  const others = register.filter((sample) => sample !== best);
  const squares = others.reduce(
    (sum, { offsetSeconds }) => sum + (offsetSeconds - best.offsetSeconds) ** 2,
    0,
  );
  // RFC 5905 §10: the root mean square of the differences, never below the precision.
  return Math.max(leastJitterSeconds, others.length === 0 ? 0 : Math.sqrt(squares / others.length));
}

/** Samples by which the least delay of a path is about known. */
const enoughSamples = 4;

/** What the noise of a path may be, as a part of its delay, while it is not known. */
const unknownNoise = 0.05;

/**
 * An offset's standard deviation by what two delays are above the least: with D to share between the two ways in any
 * proportion it is D / √12, and the least delay that was seen is not yet the least there is.
 */
const excessToNoise = 0.28;

/**
 * Jitter holds whatever the host's own clock did between the samples besides the network's noise, so a clock that is
 * corrected by it is corrected the less the more it needs it. A packet that waited came late by as much: half of what
 * its delay is above the least one is what its offset may err by.
 */
function noiseOf(best: Sample, register: SampleRegister): number {
  const delays = register.map(({ delaySeconds }) => delaySeconds).sort((a, b) => a - b);
  const least = delays[0] ?? best.delaySeconds;
  const usual = delays[Math.floor(delays.length / 2)] ?? least;
  const known = Math.hypot(usual - least, best.delaySeconds - least) * excessToNoise;
  return Math.max(leastJitterSeconds, known + (register.length < enoughSamples ? unknownNoise * least : 0));
}

/** The register after the host's clock was stepped or slewed forward by `seconds`: it is that much less behind. */
export function shiftSamples(register: SampleRegister, seconds: number): SampleRegister {
  return register.map((sample) => ({ ...sample, offsetSeconds: sample.offsetSeconds - seconds }));
}

/**
 * λ, seconds, at `nowSeconds` (monotonic): the true offset lies within offset ± λ if all up to the root tell the truth
 * (RFC 5905 §11.1).
 */
export function rootDistance(estimate: SourceEstimate, nowSeconds: number): number {
  const { sample, delaySeconds, dispersionSeconds, jitterSeconds, atSeconds } = estimate;
  // The RFC's MINDISP, 5 ms at least for the delays, is left out: it would hide which of two near servers is better.
  const path = (sample.rootDelaySeconds + delaySeconds) / 2;
  const age = Math.max(0, nowSeconds - atSeconds);
  return path + sample.rootDispersionSeconds + dispersionSeconds + phi * age + jitterSeconds;
}
