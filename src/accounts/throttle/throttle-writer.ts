import type { Timers, Uptime } from "../../host/ports.ts";

/** Decides when counts go to the disk: a new lock at once, the rest seldom, under attack no lock more often than that. */
export type ThrottleWriter = ReturnType<typeof createThrottleWriter>;

/** Seconds that a failure may wait. A power cut may lose it, which costs only a part of the attacker's count. */
export const failureDelaySeconds = 15;

/** Seconds that a new lock may wait: those that begin together are written together. */
const lockDelaySeconds = 2;

/**
 * Locks in a row that are written so soon, and the seconds that give another one. An attacker makes a lock with each
 * try, and every write wears the flash: beyond this, locks wait like failures, four writes a minute.
 */
const soonInARow = 10;
const soonEverySeconds = 60;

export function createThrottleWriter(
  { uptime, timers }: { uptime: Uptime; timers: Timers },
  write: () => void,
) {
  let takeBack = (): void => undefined;
  let due = Number.POSITIVE_INFINITY;
  let allowance = soonInARow;
  let allowedAt = uptime();
  const writeNow = (): void => {
    takeBack();
    due = Number.POSITIVE_INFINITY;
    write();
  };
  const within = (seconds: number): void => {
    const wanted = uptime() + seconds;
    if (wanted >= due) return;
    takeBack();
    due = wanted;
    takeBack = timers.after(seconds, writeNow);
  };
  return {
    within,
    /** A lock or its end: written within two seconds. */
    soon: () => {
      const now = uptime();
      if (due <= now + lockDelaySeconds) return;
      allowance = Math.min(soonInARow, allowance + (now - allowedAt) / soonEverySeconds);
      allowedAt = now;
      if (allowance < 1) return within(failureDelaySeconds);
      allowance -= 1;
      within(lockDelaySeconds);
    },
    /** Writes the waiting counts, or in any case if `isWorthIt`; no timer writes afterwards. */
    close: (isWorthIt: boolean): void => {
      if (isWorthIt || due < Number.POSITIVE_INFINITY) writeNow();
      takeBack();
      due = Number.NEGATIVE_INFINITY;
    },
  };
}
