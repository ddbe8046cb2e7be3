import { finding, line } from "../../contract/finding.ts";
import type { Finding } from "../../contract/types.ts";
import type { FoundLog, LogName } from "./event-segments.ts";
import type { EventWriter } from "./event-writer.ts";
import type { KeptEvents } from "./kept-events.ts";

/** Days for which a record should be complete. */
const wantedDays = 30;

export function damageOf(
  found: Readonly<Record<LogName, FoundLog>>,
  { isDamaged }: KeptEvents,
): Finding | null {
  const lines = Object.values(found).reduce((sum, { damagedLines }) => sum + damagedLines, 0);
  if (lines === 0 && !isDamaged) return null;
  const older = isDamaged
    ? "The file of the older changes, kept-changes.jsonl, is not what was written: it is kept as kept-changes.jsonl.bad, and its events are not shown. "
    : "";
  const verify = "steward events --verify";
  const particulars = `${older}\`${verify}\` shows what can still be verified.`;
  return finding("events_damaged", { lines }, particulars, line(verify));
}

/** The finding about a record that is complete for less than thirty days. */
export function shortnessOf(kept: KeptEvents, now: Date): Finding | null {
  const wantedSince = new Date(now.getTime() - wantedDays * 86_400_000).toISOString();
  const complete_since = kept.lost();
  if (complete_since === null || complete_since < wantedSince) return null;
  const particulars = `It should reach back ${wantedDays} days. \`steward events\` shows who does so much. To keep more, send the journal to another machine (docs/collecting.md).`;
  return finding("events_short", { complete_since }, particulars);
}

export function troubleOf(writer: EventWriter, damage: Finding | null, lost: number): Finding | null {
  const failure = writer.trouble();
  if (failure) {
    const waiting = writer.waiting().length;
    return finding("events_not_written", { waiting, lost, error: failure.code }, failure.message);
  }
  return lost === 0 ? damage : finding("events_lost", { lost });
}
