/** The steered clock's offset and its oscillator's drift, with variances: a Kalman filter (seconds, seconds a second). */
export interface Estimate {
  /** Monotonic seconds that the rest holds for. */
  readonly atSeconds: number;
  /** Positive: the clock is behind; what a slew under way has yet to add is still in it. */
  readonly offsetSeconds: number;
  /** The oscillator's error, whatever the kernel makes up for; positive: it is slow. */
  readonly frequency: number;
  readonly offsetVariance: number;
  readonly covariance: number;
  readonly frequencyVariance: number;
  /** The variance that the frequency gains a second by wandering, (s/s)²/s. */
  readonly wander: number;
}

export interface Control {
  /** Seconds a second that the kernel makes the clock run faster by. */
  readonly frequency: number;
  /** Seconds of slew that lay ahead then. */
  readonly slewSeconds: number;
}

/** The kernel's rate for a slew (adjtime(3)): 500 µs a second. */
export const slewRate = 500e-6;

/** Unknown oscillators err by some tens of ppm, bad ones by 100 (standard deviation, s/s). */
const unknownFrequency = 100e-6;

/** One that was stored wanders between two runs by what its temperature changes: a few ppm (s/s). */
const storedFrequency = 3e-6;

/** `wander`: 0.0055 ppm a minute is a quiet crystal, 0.008 ppm a usual one, 30 ppm a virtual machine's worst. */
const wander = { least: 5e-19, start: 1e-18, most: 1.5e-11 } as const;

/**
 * The rate at which `wander` is changed: four times as much lets it follow the noise of a few measurements, a quarter makes it
 * late where the temperature changes. One surprise makes at most 2.5 times as much of it: a server that was wrong once is
 * no proof.
 */
const adaptation = 0.1;
const mostSurprise = 10;

/** Variance that the offset itself gains a second (s²/s): 1 µs in a second, for reading and scheduling. */
const phaseNoise = 1e-12;

/** The first estimate, from one measurement of the given noise (standard deviation, s). */
export function beginEstimate(
  at: { atSeconds: number; offsetSeconds: number; noiseSeconds: number },
  storedPpm: number | null,
): Estimate {
  const frequencyDeviation = storedPpm === null ? unknownFrequency : storedFrequency;
  return {
    atSeconds: at.atSeconds,
    offsetSeconds: at.offsetSeconds,
    frequency: (storedPpm ?? 0) / 1e6,
    offsetVariance: at.noiseSeconds ** 2,
    covariance: 0,
    frequencyVariance: frequencyDeviation ** 2,
    wander: wander.start,
  };
}

/** The estimate carried on to a later moment. */
export function predict(estimate: Estimate, atSeconds: number, control: Control): Estimate {
  const elapsed = Math.max(0, atSeconds - estimate.atSeconds);
  const slewed = Math.sign(control.slewSeconds) * Math.min(Math.abs(control.slewSeconds), slewRate * elapsed);
  const { offsetVariance, covariance, frequencyVariance } = estimate;
  const wandered = estimate.wander * elapsed;
  return {
    ...estimate,
    atSeconds,
    offsetSeconds: estimate.offsetSeconds + (estimate.frequency - control.frequency) * elapsed - slewed,
    offsetVariance:
      offsetVariance +
      2 * covariance * elapsed +
      frequencyVariance * elapsed ** 2 +
      (wandered * elapsed ** 2) / 3 +
      phaseNoise * elapsed,
    covariance: covariance + frequencyVariance * elapsed + (wandered * elapsed) / 2,
    frequencyVariance: frequencyVariance + wandered,
  };
}

/** Squared standard deviations beyond which an innovation is not noise: the clock was moved, or the estimate was wrong. */
const jump = 100;

/** The estimate with a measurement (standard deviation `noiseSeconds`) taken in, `elapsedSeconds` after the last. */
export function correct(
  predicted: Estimate,
  offsetSeconds: number,
  noiseSeconds: number,
  elapsedSeconds: number,
): Estimate {
  const { offsetVariance, covariance, frequencyVariance } = predicted;
  const innovation = offsetSeconds - predicted.offsetSeconds;
  const innovationVariance = offsetVariance + noiseSeconds ** 2;
  if (innovation ** 2 > jump * innovationVariance) {
    // As a host that wakes: no oscillator does that. Should it be the oscillator all the same, the next one will tell.
    const doubt = innovation / Math.max(1, elapsedSeconds);
    return {
      ...predicted,
      offsetSeconds,
      offsetVariance: noiseSeconds ** 2,
      covariance: 0,
      frequencyVariance: frequencyVariance + doubt ** 2,
    };
  }
  const offsetGain = offsetVariance / innovationVariance;
  const frequencyGain = covariance / innovationVariance;
  return {
    ...predicted,
    offsetSeconds: predicted.offsetSeconds + offsetGain * innovation,
    frequency: predicted.frequency + frequencyGain * innovation,
    offsetVariance: (1 - offsetGain) * offsetVariance,
    covariance: (1 - offsetGain) * covariance,
    frequencyVariance: frequencyVariance - frequencyGain * covariance,
    wander: adapted(predicted.wander, innovation ** 2 / innovationVariance),
  };
}

/** An oscillator that surprises wanders faster than thought, else more slowly. `surprise`: squared innovation; mean 1. */
function adapted(present: number, surprise: number): number {
  const changed = present * Math.exp(adaptation * (Math.min(surprise, mostSurprise) - 1));
  return Math.min(wander.most, Math.max(wander.least, changed));
}
