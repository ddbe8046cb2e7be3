import type { Timers } from "../../src/host/ports.ts";

/** Timers of this process. */
export const realTimers: Timers = {
  after: (seconds, call) => {
    const timer = setTimeout(call, seconds * 1_000);
    return () => clearTimeout(timer);
  },
};

/** The same, a hundred times as slow: for answers that must come in time on any machine. */
export const patientTimers: Timers = { after: (seconds, call) => realTimers.after(seconds * 100, call) };

/** Timers that run out when the test says so. */
export interface HeldTimers extends Timers {
  /** Lets everything that waits run out now. */
  runOut: () => void;
  /** Timers that were neither taken back nor ran out. */
  readonly pending: number;
}

export function heldTimers(): HeldTimers {
  const calls = new Set<() => void>();
  return {
    after: (_seconds, call) => {
      calls.add(call);
      return () => calls.delete(call);
    },
    runOut: () => {
      for (const call of [...calls]) {
        calls.delete(call);
        call();
      }
    },
    get pending() {
      return calls.size;
    },
  };
}
