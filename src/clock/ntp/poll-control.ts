/** When a source is polled next. A value: each function gives the state after what happened. */
export interface PollState {
  /** Log2 of the seconds between polls that are answered. */
  readonly exponent: number;
  /** −`countLimit` to `countLimit`: how long the clock has been steady at this interval. */
  readonly count: number;
  /** Polls in a row without an answer. */
  readonly failures: number;
}

/** Log2 seconds: 64 s and 1024 s (RFC 5905 §7.2 has MINPOLL 4 and MAXPOLL 17; 6 and 10 are what servers expect). */
const least = 6;
const most = 10;

/** Jitters that an offset may have and still count as steady (RFC 5905 §A.5.5.6: PGATE). */
const gate = 4;

/** The count at which the interval changes (RFC 5905 §A.5.5.6: LIMIT). */
const countLimit = 30;

/** Seconds until the first try after a failure, and the most that doubling makes of it. */
const firstRetrySeconds = 15;
const lastRetrySeconds = 360;

/** Part of a retry's wait that is random, so that devices on one network do not all return at once. */
const retryJitter = 0.1;

/** Failures in a row after which the interval begins again: as many as the reach register holds. */
const forgetfulFailures = 8;

export const firstPoll: PollState = { exponent: least, count: 0, failures: 0 };

/**
 * After a believable answer. Steady means that the clock's offset (seconds) is below four jitters (seconds) and its
 * frequency is settled. RFC 5905 §A.5.5.6: the counter gains the exponent when steady and loses it twice when not; at 64 s
 * that is five polls until the interval doubles and three until it halves.
 */
export function afterAnswer(
  state: PollState,
  clock: { offsetSeconds: number; jitterSeconds: number; isFrequencySettled: boolean },
): PollState {
  const answered = { ...state, failures: 0 };
  if (state.failures >= forgetfulFailures) return withExponent(answered, least);
  const isSteady = clock.isFrequencySettled && Math.abs(clock.offsetSeconds) < gate * clock.jitterSeconds;
  const count = state.count + (isSteady ? state.exponent : -2 * state.exponent);
  if (count >= countLimit) return withExponent(answered, state.exponent + 1);
  if (count <= -countLimit) return withExponent(answered, state.exponent - 1);
  return { ...answered, count };
}

/** After a poll without a believable answer. */
export function afterSilence(state: PollState): PollState {
  return { ...state, failures: state.failures + 1 };
}

/** At the interval of an exponent, within the bounds, with the count begun again. */
function withExponent(state: PollState, exponent: number): PollState {
  return { ...state, exponent: Math.min(most, Math.max(least, exponent)), count: 0 };
}

/** Seconds until the next poll. `random`: 0 to 1, new at each call. */
export function waitSeconds(state: PollState, random: number): number {
  if (state.failures === 0) return 2 ** state.exponent;
  const doubled = Math.min(lastRetrySeconds, firstRetrySeconds * 2 ** (state.failures - 1));
  return doubled * (1 + retryJitter * (2 * random - 1));
}
