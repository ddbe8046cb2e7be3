import type { Timers } from "../host/ports.ts";
import { createHistogram, type HistogramReading } from "./histogram.ts";

/** How long the agent's event loop lets what is due wait. */
export interface LoopDelay {
  /** The delays so far; from now on they are measured, for a while. */
  read(): HistogramReading;
  stop(): void;
}

export interface LoopDelayOptions {
  readonly timers: Timers;
  /** Seconds of a monotonic clock. */
  readonly monotonicNow: () => number;
}

/** Seconds between two measurements. perf_hooks' own monitor wakes the processor a hundred times a second. */
const interval = 0.5;

/** Seconds for which an agent that is not scraped any more goes on measuring. */
const patience = 600;

/** Seconds; the service manager's watchdog ends an agent that hangs for longer than the last. */
const bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5] as const;

export function createLoopDelay({ timers, monotonicNow }: LoopDelayOptions): LoopDelay {
  const delays = createHistogram(bounds);
  let until = Number.NEGATIVE_INFINITY;
  let cancel: (() => void) | undefined;
  const measure = (): void => {
    const due = monotonicNow() + interval;
    cancel = timers.after(interval, () => {
      cancel = undefined;
      const now = monotonicNow();
      // A timer of the event loop may run within the millisecond before it is due.
      delays.observe(Math.max(0, now - due));
      if (now < until) measure();
    });
  };
  return {
    read: () => {
      until = monotonicNow() + patience;
      if (cancel === undefined) measure();
      return delays.read();
    },
    stop: () => {
      cancel?.();
      cancel = undefined;
      until = Number.NEGATIVE_INFINITY;
    },
  };
}
