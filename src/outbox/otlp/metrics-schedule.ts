import type { HostTime } from "../../host/host.ts";
import type { Trouble } from "../cursors.ts";
import type { Delivery } from "../receiver.ts";

/**
 * Pushes metrics by an interval, one push at a time. The first is after a random part of it, so that a fleet that starts
 * together does not push together. A failed push is not repeated: the next one has newer values. A collector that asks for a
 * longer pause than the interval gets it.
 */
export function startMetricsSchedule({
  timers,
  intervalSeconds,
  random,
  push,
  wall,
  uptime,
}: Pick<HostTime, "timers" | "uptime" | "wall"> & {
  /** Monotonic seconds from one push to the next. */
  readonly intervalSeconds: number;
  /** 0 to 1. */
  readonly random: () => number;
  /** Sends the metrics of this moment. Never rejects; ends soon after the signal is aborted. */
  readonly push: (signal: AbortSignal) => Promise<Delivery>;
}) {
  const ending = new AbortController();
  let [failure, refusal, refused]: [Trouble | null, Trouble | null, number] = [null, null, 0];
  let failingSince: number | null = null;
  let running: Promise<void> = Promise.resolve();
  let cancel = timers.after(random() * intervalSeconds, begin);

  function begin(): void {
    running = push(ending.signal).then((delivery) => {
      if (ending.signal.aborted) return;
      const time = new Date(wall()).toISOString();
      const isPart = delivery.outcome === "refused" && delivery.events !== undefined;
      failingSince = delivery.outcome === "taken" || isPart ? null : (failingSince ?? uptime());
      failure = delivery.outcome === "retry" ? { time, detail: delivery.error } : null;
      if (delivery.outcome === "refused") {
        refused += 1;
        refusal = {
          time,
          detail: `Pushes of metrics refused, in whole or in part: ${refused}. ${delivery.error}`,
        };
      }
      const pauseSeconds = delivery.outcome === "retry" ? (delivery.retryAfterSeconds ?? 0) : 0;
      cancel = timers.after(Math.max(intervalSeconds, pauseSeconds), begin);
    });
  }

  return {
    state: () => ({
      /** The failure of the last push; else the last refusal, until a person has tested the collector. */
      lastError: failure ?? refusal,
      /** Seconds since the first failure after the last success; 0: they do not fail. */
      failingSeconds: failingSince === null ? 0 : uptime() - failingSince,
      /** Pushes that the collector has refused, in whole or in part, until then. */
      refused,
    }),
    /** Call it when a person has tested the collector; returns the sentence about refused pushes, if there were any. */
    seen: (): string | undefined => {
      const detail = refusal?.detail;
      [refusal, refused] = [null, 0];
      return detail;
    },
    close: async (): Promise<void> => {
      ending.abort();
      cancel();
      await running;
    },
  };
}
