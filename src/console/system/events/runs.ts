import type { AuditEvent } from "../../../contract/types.ts";
import { eventSentence } from "../../home/event-words.ts";

/** An event in a sentence, with those right before it that read the same. */
export interface Run {
  readonly key: string;
  readonly text: string;
  /** The newest first. */
  readonly events: readonly [AuditEvent, ...AuditEvent[]];
  readonly count: number;
}

export type Entry =
  | Run
  /** The day of the entries that follow. */
  | { readonly key: string; readonly day: Date }
  /** The clock was set back by so much at least, between the entries before and behind. */
  | { readonly key: string; readonly backSeconds: number };

/** A clock that goes back by less is not worth a mark: seconds. */
const leastBackSeconds = 1;

/** Puts events into a timeline, the newest first: by their order, which a clock that was set back does not change. */
export function timelineOf(events: readonly AuditEvent[]): readonly Entry[] {
  const entries: Entry[] = [];
  let run: { text: string; events: [AuditEvent, ...AuditEvent[]] } | null = null;
  const end = (): void => {
    if (run !== null) entries.push(runOf(run));
    run = null;
  };
  let newer: AuditEvent | undefined;
  for (const event of events) {
    const backSeconds = newer === undefined ? 0 : (Date.parse(event.time) - Date.parse(newer.time)) / 1_000;
    const isBack = backSeconds >= leastBackSeconds;
    const isNewDay = newer === undefined || dayOf(newer) !== dayOf(event);
    if (isBack || isNewDay) end();
    if (isBack) entries.push({ key: `back ${event.seq}`, backSeconds });
    if (isNewDay) entries.push({ key: `day ${event.seq}`, day: new Date(event.time) });
    newer = event;
    const text = eventSentence(event);
    if (run !== null && run.text === text && run.events[0].code === event.code) run.events.push(event);
    else {
      end();
      run = { text, events: [event] };
    }
  }
  end();
  return entries;
}

function runOf({ text, events }: Pick<Run, "text" | "events">): Run {
  // More like it may come at either end; the oldest is that of a page that has been read.
  const key = String(events.at(-1)?.seq);
  return { key, text, events, count: events.reduce((sum, { count }) => sum + count, 0) };
}

function dayOf({ time }: AuditEvent): string {
  return new Date(time).toDateString();
}
