import type { Timers } from "../ports.ts";

/** Milliseconds: setTimeout treats more as 1. */
const longestMilliseconds = 2 ** 31 - 1;

/** Timers of any length, none keeping the process alive, on CLOCK_MONOTONIC: a suspension delays them. */
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

export function every(seconds: number, begin: () => void, timers: Timers): () => void {
  const wait = (): (() => void) =>
    timers.after(seconds, () => {
      takeBack = wait();
      begin();
    });
  let takeBack = wait();
  return () => takeBack();
}
