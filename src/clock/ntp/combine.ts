import type { Sample } from "./sample.ts";
import { noiseOf, type SampleRegister, type SourceEstimate, usualNoiseOf } from "./sample-filter.ts";

export interface SelectedSource {
  readonly register: SampleRegister;
  readonly estimate: SourceEstimate;
}

/**
 * The offset by all selected sources; positive: this host is behind.
 *
 * The mean of the samples that are newer than `sinceSeconds` (monotonic); without any, of each source's best one. A
 * sample counts once, because two measurements by the same one would seem to confirm each other. Each is weighted by what
 * its delay tells of its noise, and by how far its server's time is from `agreedSeconds`, the offset that the selection
 * agreed on: each server has an error of its own, and the mean must not wander from one server's time to another's with
 * the delays of the moment.
 */
export function combine(
  sources: readonly SelectedSource[],
  { sinceSeconds, agreedSeconds }: { sinceSeconds: number; agreedSeconds: number },
) {
  const weigh = ({ register, estimate }: SelectedSource, sample: Sample) => {
    const variance = noiseOf(sample, register) ** 2;
    const square = (estimate.offsetSeconds - agreedSeconds) ** 2;
    return { sample, variance, square, weight: 1 / (variance + square) };
  };
  const fresh = sources.flatMap((source) =>
    source.register
      .filter(({ atSeconds }) => atSeconds > sinceSeconds)
      .map((sample) => weigh(source, sample)),
  );
  const used = fresh.length > 0 ? fresh : sources.map((source) => weigh(source, source.estimate.sample));
  const weights = sum(used.map(({ weight }) => weight));
  return {
    offsetSeconds: sum(used.map(({ sample, weight }) => weight * sample.offsetSeconds)) / weights,
    /** Standard deviation for the network's noise. */
    noiseSeconds: Math.sqrt(sum(used.map(({ variance, weight }) => weight ** 2 * variance))) / weights,
    /** Root mean square of what the servers' own times differ by from the one that was agreed on, weighted alike. */
    scatterSeconds: Math.sqrt(sum(used.map(({ square, weight }) => weight * square)) / weights),
    /** The same of a sample of each source with its usual delay. */
    usualNoiseSeconds: 1 / Math.sqrt(sum(sources.map(({ register }) => usualNoiseOf(register) ** -2))),
    /** Monotonic seconds of the newest sample in it. */
    atSeconds: Math.max(...used.map(({ sample }) => sample.atSeconds)),
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
