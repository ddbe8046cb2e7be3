import { afterAnswer, afterSilence, firstPoll, type PollState } from "../ntp/poll-control.ts";
import type { OwnRound } from "./measurement.ts";
import { isUnsettled } from "./verdict.ts";

/** What poll control counts as jitter, in noises: two standard deviations of an offset are its gate of four. */
const steadyNoise = 0.5;

/** Noises beyond which an offset is a jump of the clock. */
const jumpNoises = 20;

/** ppm: a frequency known so well no longer moves the offset by much between two polls. */
const settledPpm = 1;

/** When the sources are asked next; `deviationPpm`: what the frequency may err by, null where nothing is known of it. */
export function pollAfterRound(
  poll: PollState,
  { verdict, measurement, isAnswered }: Pick<OwnRound, "verdict" | "measurement" | "isAnswered">,
  deviationPpm: number | null,
): PollState {
  if (!measurement || !isAnswered) return afterSilence(poll);
  // What has to be confirmed, or is no noise, is not left standing for the hours that long polls would take.
  const isJump = Math.abs(measurement.offsetSeconds) > jumpNoises * measurement.noiseSeconds;
  if (isUnsettled(verdict) || isJump) return firstPoll;
  return afterAnswer(poll, {
    offsetSeconds: measurement.offsetSeconds,
    jitterSeconds: measurement.noiseSeconds * steadyNoise,
    isFrequencySettled: deviationPpm !== null && deviationPpm < settledPpm,
  });
}
