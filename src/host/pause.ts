import type { Timers } from "./ports.ts";

/** Settles after so many seconds, or at once when the signal ends the wait. */
export function pauseFor(
  seconds: number,
  { timers, signal }: { readonly timers: Timers; readonly signal: AbortSignal },
): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      takeBack();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const takeBack = timers.after(seconds, end);
    if (signal.aborted) end();
    else signal.addEventListener("abort", end);
  });
}
