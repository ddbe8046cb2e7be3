import type { Timers } from "../host/ports.ts";
import { createHistogram, type HistogramReading } from "./histogram.ts";

/** How long the agent's event loop lets what is due wait. */
export interface LoopDelay {
  /** The delays so far; from now on they are measured, for a while. */
  read(): HistogramReading;
  /** Those of the last minute, in seconds; null: none was measured yet. */
  lag(): LagReading | null;
  stop(): void;
}

export interface LagReading {
  readonly last: number;
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
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

/** Measurements of a minute. */
const recentCount = 60 / interval;

/** Seconds; the service manager's watchdog ends an agent that hangs for longer than the last. */
const bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5] as const;

export function createLoopDelay({ timers, monotonicNow }: LoopDelayOptions): LoopDelay {
  const delays = createHistogram(bounds);
  const recent: number[] = [];
  let until = Number.NEGATIVE_INFINITY;
  let cancel: (() => void) | undefined;
  const measure = (): void => {
    const due = monotonicNow() + interval;
    cancel = timers.after(interval, () => {
      cancel = undefined;
      const now = monotonicNow();
      // A timer of the event loop may run within the millisecond before it is due.
      const delay = Math.max(0, now - due);
      delays.observe(delay);
      recent.push(delay);
      if (recent.length > recentCount) recent.shift();
      if (now < until) measure();
    });
  };
  return {
    read: () => {
      until = monotonicNow() + patience;
      if (cancel === undefined) measure();
      return delays.read();
    },
    lag: () => lagOf(recent),
    stop: () => {
      cancel?.();
      cancel = undefined;
      until = Number.NEGATIVE_INFINITY;
    },
  };
}

function lagOf(delays: readonly number[]): LagReading | null {
  const sorted = delays.toSorted((one, other) => one - other);
  const [last, min, max] = [delays.at(-1), sorted[0], sorted.at(-1)];
  if (last === undefined || min === undefined || max === undefined) return null;
  const mean = delays.reduce((sum, delay) => sum + delay, 0) / delays.length;
  const quantile = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? max;
  return { last, min, max, mean, p50: quantile(0.5), p90: quantile(0.9), p99: quantile(0.99) };
}
