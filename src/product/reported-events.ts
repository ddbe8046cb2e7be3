import type { Timers, Uptime } from "../host/ports.ts";
import type { EventFacts } from "../journal/events/event.ts";
import { createBucket } from "../journal/logs/rates.ts";

export interface ReportedEventsOptions {
  /** Writes an event into the record. */
  readonly record: (facts: EventFacts) => void;
  readonly uptime: Uptime;
  readonly timers: Timers;
}

/** Events that are written at once, and then one a minute: the reports' part of the record lasts for a day at least. */
const rate = { burst: 30, perSecond: 1 / 60 } as const;

/** Seconds between two lines of events that were counted: the timer may come a moment before the minute is over. */
const secondsBetween = 61;

/** Records the product's events within its share; the others are counted by code, and the next line has their number. */
export function createReportedEvents({ record, uptime, timers }: ReportedEventsOptions) {
  const bucket = createBucket(rate, () => uptime() * 1_000);
  /** By code, the one that waits longest first; each with the facts of its last event. */
  const waiting = new Map<string, { readonly facts: EventFacts; readonly count: number }>();
  let isTimed = false;
  const write = (mayWrite: () => boolean): void => {
    for (const [code, { facts, count }] of waiting) {
      if (!mayWrite()) break;
      waiting.delete(code);
      record(count === 1 ? facts : { ...facts, count });
    }
    isTimed = waiting.size > 0;
    if (isTimed) timers.after(secondsBetween, () => write(bucket.take));
  };
  return {
    add: (code: string, facts: EventFacts): void => {
      waiting.set(code, { facts, count: (waiting.get(code)?.count ?? 0) + 1 });
      if (!isTimed) write(bucket.take);
    },
    /** Writes all that is only counted. */
    close: () => write(() => true),
  };
}
