import type { Timers } from "../../host/ports.ts";
import { createHistogram, type HistogramReading } from "./histogram.ts";

export type LagReading = NonNullable<ReturnType<typeof lagOf>>;

/** Seconds between two measurements. perf_hooks' own monitor wakes the processor a hundred times a second. */
const interval = 0.5;

/** Seconds for which the measurement continues after the last scrape. */
const patience = 600;

/** Measurements of a minute. */
const recentCount = 60 / interval;

/** Seconds. The service manager's watchdog ends an agent that hangs for longer than the last. */
const bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5] as const;

/** Measures the delay of due timers in the agent's event loop. `monotonicNow`: seconds of a monotonic clock. */
export function createLoopDelay({ timers, monotonicNow }: { timers: Timers; monotonicNow: () => number }) {
  const delays = createHistogram(bounds);
  const recent: number[] = [];
  /** Kept until the next measurement. */
  let lag: LagReading | null | undefined;
  let until = Number.NEGATIVE_INFINITY;
  let cancel: (() => void) | undefined;
  const measure = (): void => {
    const due = monotonicNow() + interval;
    cancel = timers.after(interval, () => {
      cancel = undefined;
      const now = monotonicNow();
      // A timer of the event loop may run up to a millisecond early.
      const delay = Math.max(0, now - due);
      delays.observe(delay);
      recent.push(delay);
      lag = undefined;
      if (recent.length > recentCount) recent.shift();
      if (now < until) measure();
    });
  };
  return {
    /** The delays so far; from now on they are measured, for a while. */
    read: (): HistogramReading => {
      until = monotonicNow() + patience;
      if (cancel === undefined) measure();
      return delays.read();
    },
    /** The delays of the last minute, in seconds; null: none was measured yet. */
    lag: (): LagReading | null => {
      if (lag === undefined) lag = lagOf(recent);
      return lag;
    },
    stop: (): void => {
      cancel?.();
      cancel = undefined;
      until = Number.NEGATIVE_INFINITY;
    },
  };
}

function lagOf(delays: readonly number[]) {
  const sorted = delays.toSorted((one, other) => one - other);
  const [last, min, max] = [delays.at(-1), sorted[0], sorted.at(-1)];
  if (last === undefined || min === undefined || max === undefined) return null;
  const mean = delays.reduce((sum, delay) => sum + delay, 0) / delays.length;
  const quantile = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? max;
  return { last, min, max, mean, p50: quantile(0.5), p90: quantile(0.9), p99: quantile(0.99) };
}
