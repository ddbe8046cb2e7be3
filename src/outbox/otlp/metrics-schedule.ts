import type { Timers } from "../../host/ports.ts";
import type { Delivery } from "../receiver.ts";

export interface MetricsScheduleOptions {
  readonly timers: Timers;
  /** Monotonic seconds from one push to the next. */
  readonly intervalSeconds: number;
  /** 0 to 1. */
  readonly random: () => number;
  /** Sends the metrics of this moment. Never rejects; ends soon after the signal is aborted. */
  readonly push: (signal: AbortSignal) => Promise<Delivery>;
  /** Milliseconds since 1970 by the device's clock. */
  readonly wall: () => number;
}

/** The outcome of the pushes so far, for people; times by the device's clock. */
export interface MetricsState {
  readonly lastSuccess: string | null;
  /** The failure of the last push, or what the collector refused of it; null: all was taken, or there was none. */
  readonly lastError: { readonly time: string; readonly detail: string } | null;
}

/**
 * Pushes metrics by an interval, one push at a time. The first is after a random part of it, so that a fleet that starts
 * together does not push together. A failed push is not repeated: the next one has newer values. A collector that asks for a
 * longer pause than the interval gets it.
 */
export function startMetricsSchedule(options: MetricsScheduleOptions) {
  const { timers, intervalSeconds, random, push, wall } = options;
  const ending = new AbortController();
  let state: MetricsState = { lastSuccess: null, lastError: null };
  let running: Promise<void> = Promise.resolve();
  let cancel = timers.after(random() * intervalSeconds, begin);

  function begin(): void {
    running = push(ending.signal).then((delivery) => {
      if (ending.signal.aborted) return;
      const time = new Date(wall()).toISOString();
      state =
        delivery.outcome === "taken"
          ? { lastSuccess: time, lastError: null }
          : { ...state, lastError: { time, detail: delivery.error } };
      const pauseSeconds = delivery.outcome === "retry" ? (delivery.retryAfterSeconds ?? 0) : 0;
      cancel = timers.after(Math.max(intervalSeconds, pauseSeconds), begin);
    });
  }

  return {
    state: (): MetricsState => state,
    /** Ends the push that is under way. */
    close: async (): Promise<void> => {
      ending.abort();
      cancel();
      await running;
    },
  };
}
