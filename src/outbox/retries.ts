/** Seconds to the second attempt, at most; doubled at each further one. */
const firstRetrySeconds = 60;

/** Seconds between two attempts in the long run, at most: a network that is back is noticed within an hour. */
const longestRetrySeconds = 60 * 60;

/** Seconds for which a receiver can ask to be left in peace: it must not stop messages for ever. */
const longestRetryAfterSeconds = 24 * 60 * 60;

/**
 * Seconds to the next attempt after so many failures in a row, 1 and more: from 30 s to an hour, drawn from the upper half
 * of a doubling span, so that a thousand devices do not all meet a collector that is back at once
 * (docs/design/outbox.md, rule 9). `chance`: 0 to 1.
 */
export function retryIn(failures: number, chance: number, retryAfterSeconds = 0): number {
  const span = Math.min(longestRetrySeconds, firstRetrySeconds * 2 ** (failures - 1));
  return Math.max((span / 2) * (1 + chance), Math.min(retryAfterSeconds, longestRetryAfterSeconds));
}
