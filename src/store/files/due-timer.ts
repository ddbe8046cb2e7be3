import type { StoreTime } from "./store-time.ts";

/** Does its work once, at the earliest of the times asked for since it was last done or put off. */
export interface DueTimer {
  within(seconds: number): void;
  /** Puts it off until it is asked for again. */
  putOff(): void;
}

export function createDueTimer(
  work: () => void,
  { uptime, timers }: Pick<StoreTime, "uptime" | "timers">,
): DueTimer {
  let takeBack = (): void => undefined;
  let due = Number.POSITIVE_INFINITY;
  return {
    within: (seconds) => {
      const wanted = uptime() + seconds;
      if (wanted >= due) return;
      takeBack();
      due = wanted;
      takeBack = timers.after(seconds, work);
    },
    putOff: () => {
      takeBack();
      due = Number.POSITIVE_INFINITY;
    },
  };
}
