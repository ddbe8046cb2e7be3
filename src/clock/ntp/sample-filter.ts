import { distanceOf, phi, type Sample } from "./sample.ts";

/** The last samples of one source, at most `registerLength`, the newest first. */
export type SampleRegister = readonly Sample[];

/** One source now: its best sample, and the scatter of the others around it. */
export type SourceEstimate = NonNullable<ReturnType<typeof estimateOf>>;

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
 * RFC 5905 §10 sorts by delay and ages by dispersion. Here both are one figure: the delay, and twice what the two clocks
 * may have drifted since. Half the delay bounds a sample's error, and phi × age is added to it. Unlike there, an empty
 * place of the register counts nothing, so that the burst at the start is enough for an estimate.
 */
export function estimateOf(register: SampleRegister, nowSeconds: number) {
  const [newest, ...older] = register;
  if (newest === undefined) return null;
  const cost = (sample: Sample) => sample.delaySeconds + 2 * phi * Math.max(0, nowSeconds - sample.atSeconds);
  const best = older.reduce((least, sample) => (cost(sample) < cost(least) ? sample : least), newest);
  return {
    sample: best,
    /** Positive: this host is behind. */
    offsetSeconds: best.offsetSeconds,
    delaySeconds: best.delaySeconds,
    /** RMS of the other samples' offsets against the best one's; at least `leastJitterSeconds`. */
    jitterSeconds: jitterAround(best, register),
    /** Monotonic seconds of the best sample: a new one corrects the clock only when this is later than the last used. */
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

/** Samples by which the least delay of a path is about known; with fewer, its part of one in so many may be a wait. */
const enoughSamples = 4;

/**
 * Standard deviation of an offset, as a part of the delay D above the least one: with D shared between the two
 * directions in any proportion it is D / √12, and the least delay seen so far may still be undercut.
 */
const excessToNoise = 0.28;

/** The least delay so far may be undercut by this part of the distance to the usual one. */
const leastUnsurePart = 0.5;

/**
 * Standard deviation (s) of the offset of one sample of the register for the network's noise.
 *
 * Jitter contains the drift of the host's own clock between the samples as well as the network's noise: a clock that
 * needs more correction would get less. The delays contain only the network's noise: a packet that waited arrived late
 * by as much, and its offset errs by up to half of its delay above the least one.
 */
export function noiseOf(sample: Sample, register: SampleRegister): number {
  const { least, usual } = delaysOf(register);
  return noiseOfExcess(Math.hypot((usual - least) * leastUnsurePart, sample.delaySeconds - least), register);
}

/** The same of a sample with the usual delay. */
export function usualNoiseOf(register: SampleRegister): number {
  const { least, usual } = delaysOf(register);
  return noiseOfExcess(usual - least, register);
}

function delaysOf(register: SampleRegister): { least: number; usual: number } {
  const delays = register.map(({ delaySeconds }) => delaySeconds).sort((a, b) => a - b);
  const least = delays[0] ?? 0;
  return { least, usual: delays[Math.floor(delays.length / 2)] ?? least };
}

function noiseOfExcess(excessSeconds: number, register: SampleRegister): number {
  const { length } = register;
  const unknownSeconds = length < enoughSamples ? delaysOf(register).least / length : 0;
  return Math.max(leastJitterSeconds, (excessSeconds + unknownSeconds) * excessToNoise);
}

/** The register after the host's clock was moved forward by `seconds`: each offset is less by as much. */
export function shiftSamples(register: SampleRegister, seconds: number): SampleRegister {
  return register.map((sample) => ({ ...sample, offsetSeconds: sample.offsetSeconds - seconds }));
}

/** λ in seconds at `nowSeconds` (monotonic): the true offset is within ± λ, if all servers are right (RFC 5905 §11.1). */
export function rootDistance(
  { sample, jitterSeconds, atSeconds }: SourceEstimate,
  nowSeconds: number,
): number {
  // The RFC's MINDISP, 5 ms at least for the delays, is left out: it would hide which of two near servers is better.
  return distanceOf(sample) + phi * Math.max(0, nowSeconds - atSeconds) + jitterSeconds;
}
