import { severityWords } from "../../contract/schemas/logs.ts";
import type { LogEntry } from "../../contract/types.ts";

/** Which lines a reader asks for and may see. */
export interface LogFilter {
  readonly unit?: string | undefined;
  /** Since the epoch, both ends included. */
  readonly sinceMilliseconds?: number | undefined;
  readonly untilMilliseconds?: number | undefined;
  /** 0 (emerg) to 7 (debug). */
  readonly leastSeverity?: number | undefined;
  /** A part of the message, literally, whatever its case. */
  readonly q?: string | undefined;
  /** Audit lines are administrators' alone. */
  readonly mayReadAudit: boolean;
}

/** Judges line by line; the journal has already been asked for most of it, which makes the answer fast, not right. */
export function createLogMatch(filter: LogFilter): (entry: LogEntry) => boolean {
  const { unit, leastSeverity = 7, mayReadAudit } = filter;
  const { sinceMilliseconds = Number.NEGATIVE_INFINITY, untilMilliseconds = Number.POSITIVE_INFINITY } =
    filter;
  const part = filter.q?.toLowerCase();
  return (entry) => {
    if (entry.audit && !mayReadAudit) return false;
    if (unit !== undefined && entry.unit !== unit) return false;
    if (severityWords.indexOf(entry.priority) > leastSeverity) return false;
    const time = Date.parse(entry.time);
    if (time < sinceMilliseconds || time > untilMilliseconds) return false;
    return part === undefined || entry.message.toLowerCase().includes(part);
  };
}
