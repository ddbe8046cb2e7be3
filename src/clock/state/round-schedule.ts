import { afterAnswer, afterSilence, firstPoll, type PollState, waitSeconds } from "../ntp/poll-control.ts";
import type { ClockMode } from "./mode.ts";
import type { Round } from "./round.ts";
import { isUnsettled } from "./verdict.ts";

/** Exchanges of a round after a silence, and of a requested round. */
export const burst = 4;

/**
 * The rounds at the start, of one exchange each: the first in which enough servers agree puts the clock right, and those
 * after it make it exact, because a program that has just been started reads its first answer late. A random delay of up
 * to `delaySeconds` comes before, so that devices that were switched on together do not poll together.
 */
export const firstBurst = { delaySeconds: 0.5, rounds: 4, pauseSeconds: 2 } as const;

/** Seconds between two readings of a daemon: each costs a process. */
const daemonPollSeconds = 64;

/** The jitter that poll control gets, in usual noises: its gate of four jitters is then some three standard deviations. */
const steadyNoise = 0.8;

/** Noises beyond which an offset is a jump of the clock. */
const jumpNoises = 20;

/** ppm: an error of the frequency below this hardly moves the offset between two polls. */
const settledPpm = 1;

/** In how many seconds the next round begins, and its exchanges; null: there is no next round. */
export function nextRound(
  /** null: not known yet. */
  mode: ClockMode | null,
  poll: PollState,
  /** 0 to 1. */
  random: number,
  /** Rounds of the start's burst that are still to come. */
  burstLeft: number,
  /** Another round was requested while it ran. */
  isOutdated: boolean,
): { readonly seconds: number; readonly exchanges: number } | null {
  if (isOutdated) return { seconds: 0, exchanges: burst };
  if (mode?.kind === "manual") return null;
  if (mode?.kind === "delegate") return { seconds: daemonPollSeconds, exchanges: 1 };
  if (burstLeft > 0) return { seconds: firstBurst.pauseSeconds, exchanges: 1 };
  return { seconds: waitSeconds(poll, random), exchanges: poll.failures > 0 ? burst : 1 };
}

/** Seconds between two rounds that are answered. */
export function pollSecondsOf(mode: ClockMode | null, poll: PollState): number {
  return mode?.kind === "delegate" ? daemonPollSeconds : 2 ** poll.exponent;
}

/** When the sources are polled next; `deviationPpm`: what the frequency may err by, null where nothing is known of it. */
export function pollAfterRound(
  poll: PollState,
  { verdict, measurement, isAnswered }: Pick<Round, "verdict" | "measurement" | "isAnswered">,
  deviationPpm: number | null,
): PollState {
  if (!measurement || !isAnswered) return afterSilence(poll);
  // An offset to be confirmed, or beyond the noise, does not wait for the hours that long polls would take.
  const isJump = Math.abs(measurement.offsetSeconds) > jumpNoises * measurement.noiseSeconds;
  if (isUnsettled(verdict) || isJump) return firstPoll;
  return afterAnswer(poll, {
    offsetSeconds: measurement.offsetSeconds,
    jitterSeconds: measurement.usualNoiseSeconds * steadyNoise,
    isFrequencySettled: deviationPpm !== null && deviationPpm < settledPpm,
  });
}
