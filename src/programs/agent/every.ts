import type { Timers } from "../../host/ports.ts";

/** Begins a work every so many seconds, by the host's timers; the returned function ends that. */
export function every(seconds: number, begin: () => void, timers: Timers): () => void {
  const wait = (): (() => void) =>
    timers.after(seconds, () => {
      takeBack = wait();
      begin();
    });
  let takeBack = wait();
  return () => takeBack();
}
