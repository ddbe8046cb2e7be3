import { StewardError } from "../../contract/errors.ts";

/** Lets a few readers at a time start a process, and some more wait. Throws `rate_limited` for those beyond. */
export type InTurn = <T>(act: () => Promise<T>) => Promise<T>;

export function createTurns({ atOnce, waiting }: { atOnce: number; waiting: number }): InTurn {
  const queue: (() => void)[] = [];
  let running = 0;
  return async (act) => {
    if (running >= atOnce) {
      if (queue.length >= waiting) throw tooMany();
      // A reader that is done passes its place on, so `running` stays as it is.
      await new Promise<void>((resolve) => queue.push(resolve));
    } else running += 1;
    try {
      return await act();
    } finally {
      const next = queue.shift();
      if (next) next();
      else running -= 1;
    }
  };
}

function tooMany(): StewardError {
  return new StewardError(
    "rate_limited",
    "Too many readers of the log are waiting for an answer. Try again in a few seconds.",
    { details: { retryAfterSeconds: 5 } },
  );
}
