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
  if (lines === 0 && !isDamaged) return null;
  const older = isDamaged
    ? "The file of the older changes, kept-changes.jsonl, is not what was written: it is kept as kept-changes.jsonl.bad, and its events are not shown. "
    : "";
  const verify = "steward events --verify";
  const particulars = `${older}\`${verify}\` shows what can still be verified.`;
  return finding("events_damaged", { lines }, particulars, line(verify));
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
  const particulars = `It should reach back ${wantedDays} days. \`steward events\` shows who does so much. To keep more, send the journal to another machine (docs/collecting.md).`;
  return finding("events_short", { record, complete_since: time }, particulars);
}

export function troubleOf(writer: EventWriter, damage: Finding | null, lost: number): Finding | null {
  const failure = writer.trouble();
  if (failure) {
    const waiting = writer.waiting().length;
    return finding("events_not_written", { waiting, lost, error: failure.code }, failure.message);
  }
  return lost === 0 ? damage : finding("events_lost", { lost });
}
