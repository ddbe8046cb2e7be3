import type { Timers, Uptime } from "../../host/ports.ts";

/** Seconds after which the rest of the wait is computed again: timers stop while the host is suspended. */
const pollSeconds = 3_600;

export type Alarm = ReturnType<typeof createAlarm>;

/** One call at a time in the far future. */
export function createAlarm(
  { timers, uptime }: { readonly timers: Timers; readonly uptime: Uptime },
  call: () => void,
) {
  let dueAt: number | null = null;
  let takeBack: () => void = () => undefined;
  const left = (): number | null => (dueAt === null ? null : Math.max(0, dueAt - uptime()));
  const wait = (): void => {
    const seconds = left();
    if (seconds === null) return;
    if (seconds > 0) {
      takeBack = timers.after(Math.min(seconds, pollSeconds), wait);
      return;
    }
    dueAt = null;
    call();
  };
  const clear = (): void => {
    takeBack();
    dueAt = null;
  };
  return {
    /** Seconds until it goes off; null: it is not set. */
    left,
    clear,
    /** Replaces an earlier setting. */
    set: (seconds: number): void => {
      clear();
      dueAt = uptime() + seconds;
      // Never at once: the caller must not be called back while it is setting the alarm.
      takeBack = timers.after(Math.min(seconds, pollSeconds), wait);
    },
  };
}
