import type { AuditEvent } from "../../contract/types.ts";
import type { Timers } from "../../host/ports.ts";
import type { Log } from "../logs/log.ts";
import type { LogName } from "./event-segments.ts";

/** A head is logged after so many events, or after so long, and only if it is new. */
const eventsBetween = 100;
const secondsBetween = 10 * 60;

/** Logs the chains' heads: who cuts a log must cut the journal's. Only synced ones, or it would know more than the disk. */
export function createEventHeads(sync: (log: LogName) => Promise<void>, log: Log, timers: Timers) {
  const heads = new Map<LogName, AuditEvent>();
  let count = 0;
  let takeBack: (() => void) | undefined;
  const say = async (): Promise<void> => {
    takeBack?.();
    takeBack = undefined;
    count = 0;
    const news = [...heads];
    heads.clear();
    for (const [name, event] of news) {
      try {
        await sync(name);
        log("notice", "event log head", { audit: true, log: name, seq: event.seq, hash: event.hash });
      } catch {
        // The writer meets the same disk and reports it in health; this head is logged with the next.
        if (!heads.has(name)) heads.set(name, event);
      }
    }
  };
  return {
    /** These events are written, oldest first. */
    written: (events: readonly AuditEvent[]): void => {
      for (const event of events) heads.set(event.log, event);
      count += events.length;
      if (count >= eventsBetween) void say();
      else if (count > 0) takeBack ??= timers.after(secondsBetween, () => void say());
    },
    /** Logs the heads that are new since the last time. */
    close: say,
  };
}
