import type { StoreTime } from "./store-time.ts";

export type DueTimer = ReturnType<typeof createDueTimer>;

/** Does its work once, at the earliest of the times asked for since it was last done or put off. */
export function createDueTimer(work: () => void, { uptime, timers }: Pick<StoreTime, "uptime" | "timers">) {
  let takeBack = (): void => undefined;
  let due = Number.POSITIVE_INFINITY;
  return {
    within: (seconds: number): void => {
      const wanted = uptime() + seconds;
      if (wanted >= due) return;
      takeBack();
      due = wanted;
      takeBack = timers.after(seconds, work);
    },
    /** Puts it off until it is asked for again. */
    putOff: (): void => {
      takeBack();
      due = Number.POSITIVE_INFINITY;
    },
  };
}
