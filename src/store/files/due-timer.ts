import { uptime } from "node:process";

/** Does a work once, at the earliest of the times that it was asked for since it was last done or put off. */
export interface DueTimer {
  within(milliseconds: number): void;
  /** Until it is asked for again. */
  putOff(): void;
}

/** The timer holds no process open. */
export function createDueTimer(work: () => void): DueTimer {
  let timer: NodeJS.Timeout | undefined;
  let due = Number.POSITIVE_INFINITY;
  return {
    within: (milliseconds) => {
      const wanted = uptime() * 1_000 + milliseconds;
      if (wanted >= due) return;
      clearTimeout(timer);
      due = wanted;
      timer = setTimeout(work, milliseconds).unref();
    },
    putOff: () => {
      clearTimeout(timer);
      due = Number.POSITIVE_INFINITY;
    },
  };
}
