import type { Timers } from "../ports.ts";

/** Milliseconds: setTimeout takes more for 1. */
const longestMilliseconds = 2 ** 31 - 1;

/**
 * Timers of the event loop, of any length; none keeps the process alive. They run on CLOCK_MONOTONIC: no step of the
 * wall clock moves them, and a suspension of the host delays them by as long as it lasts.
 */
export function createTimers(): Timers {
  return {
    after: (seconds, call) => {
      let timer: NodeJS.Timeout | undefined;
      const wait = (milliseconds: number): void => {
        const part = Math.min(milliseconds, longestMilliseconds);
        const rest = milliseconds - part;
        timer = setTimeout(() => (rest > 0 ? wait(rest) : call()), part).unref();
      };
      wait(Math.max(0, seconds * 1_000));
      return () => clearTimeout(timer);
    },
  };
}
