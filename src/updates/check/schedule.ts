import type { StoredWait } from "../../releases/update-record.ts";

/** Part by which a wait is made longer or shorter by chance, so that devices which began together drift apart. */
const jitter = 0.1;

/** Seconds within which the first check after a start comes: a power cut must not bring a whole street at once. */
const firstCheckSeconds = 30 * 60;

/** Seconds to the second try after a failure; doubled at each further one. The shortest check_interval is as long. */
const firstRetrySeconds = 5 * 60;

/** Seconds for which a server can put off the next request: a day, so that a server cannot stop checks forever. */
const longestRetryAfterSeconds = 24 * 3_600;

/** Seconds to the next check after one that succeeded. `chance`: 0 to 1. */
export function nextCheckIn(intervalSeconds: number, chance: number): number {
  return intervalSeconds * (1 - jitter + 2 * jitter * chance);
}

/** Seconds to the first check after a start. `chance`: 0 to 1. */
export function firstCheckIn(intervalSeconds: number, chance: number): number {
  return Math.min(intervalSeconds, firstCheckSeconds) * chance;
}

/**
 * Seconds to the next try after so many failures in a row, 1 and more. Never longer than the check interval: a server
 * that fails is asked no less often than one that works, so that what it has in store is not found later than it would
 * have been. What the server asks for (`retryAfterSeconds`) comes on top of that. `chance`: 0 to 1.
 */
export function retryIn(
  failures: number,
  intervalSeconds: number,
  chance: number,
  retryAfterSeconds = 0,
): number {
  const doubled = firstRetrySeconds * 2 ** Math.min(failures - 1, 20);
  const own = nextCheckIn(Math.min(doubled, intervalSeconds), chance);
  return Math.max(own, Math.min(retryAfterSeconds, longestRetryAfterSeconds));
}

/**
 * Seconds that are left of a stored wait. Time with the device off is not known without a clock, so after a boot the
 * whole of what was left is waited for: at most a day, since nothing longer is stored.
 */
export function leftOf(stored: StoredWait | null, bootId: string, uptime: number): number {
  if (stored === null) return 0;
  // A lower uptime under the same id: a container whose boot id cannot be read.
  const isSameBoot = stored.boot_id === bootId && uptime >= stored.uptime;
  const left = isSameBoot ? stored.left - (uptime - stored.uptime) : stored.left;
  return Math.max(0, left);
}
