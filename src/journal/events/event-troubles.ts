import { finding, line } from "../../contract/finding.ts";
import type { Finding } from "../../contract/types.ts";
import type { FoundLog, LogName } from "./event-segments.ts";
import type { EventWriter } from "./event-writer.ts";
import type { Forgotten, KeptEvents } from "./kept-events.ts";

/** Days for which a record should be complete. */
const wantedDays = 30;

export function damageOf(
  found: Readonly<Record<LogName, FoundLog>>,
  { isDamaged }: KeptEvents,
): Finding | null {
  const lines = found.changes.damagedLines + found.refusals.damagedLines;
  if (isDamaged) {
    const detail =
      "The file of the older changes, kept-changes.jsonl, is not what was written. It is kept as kept-changes.jsonl.bad, and its events are not shown.";
    return finding("events_damaged", { lines }, detail, line("steward events --verify"));
  }
  if (lines === 0) return null;
  const what = `${lines} ${lines === 1 ? "line" : "lines"} at the end of the event log`;
  const detail = `${what} cannot be verified. They were kept, and a new file begun. \`steward events --verify\` shows what can still be verified.`;
  return finding("events_damaged", { lines }, detail, line("steward events --verify"));
}

/** The change that was lost last. */
export function newestForgotten(kept: KeptEvents): Forgotten | undefined {
  return kept.forgotten().toSorted((one, other) => (one.time < other.time ? 1 : -1))[0];
}

/**
 * The finding about a record that is complete for less than thirty days; of several the one that lost an event last.
 */
export function shortnessOf(kept: KeptEvents, now: Date): Finding | null {
  const since = (days: number) => new Date(now.getTime() - days * 86_400_000).toISOString();
  const newest = newestForgotten(kept);
  if (newest === undefined || newest.time < since(wantedDays)) return null;
  const { record, time } = newest;
  const detail = `The record of ${record} is complete only since ${time}, which is less than ${wantedDays} days: more happened than there is room for. \`steward events\` shows who does so much. To keep more, send the journal to another machine (docs/collecting.md).`;
  return finding("events_short", { record, complete_since: time }, detail);
}

export function troubleOf(writer: EventWriter, damage: Finding | null, lost: number): Finding | null {
  const failure = writer.trouble();
  if (failure) {
    const waiting = writer.waiting().length;
    const detail = `Events cannot be written: ${waiting} wait in memory, ${lost} found no room there. ${failure.message}`;
    return finding("events_not_written", { waiting, lost, error: failure.code }, detail);
  }
  if (lost === 0) return damage;
  const detail = `${lost} events were not kept while the disk took nothing; the journal has them.`;
  return finding("events_lost", { lost }, detail);
}
