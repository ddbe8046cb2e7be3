import type { LogEntry, LogList } from "../../contract/types.ts";
import type { Journal, JournalEntry } from "../../host/ports.ts";
import { foreignCursor } from "../../store/documents/pages.ts";
import { type LogCursor, writeCursor } from "./log-cursor.ts";
import { createLogMatch, type LogFilter } from "./log-filter.ts";
import { readOwnLine } from "./log-line.ts";
import type { OwnLines } from "./own-lines.ts";

export interface LogPageQuery extends LogFilter {
  readonly limit: number;
  /** The last line of the page before. */
  readonly cursor?: LogCursor | undefined;
}

export interface JournalReading {
  journal: Journal;
  /** The units to ask the journal for if the query names none. */
  units: readonly string[];
  /** Undefined for an entry that readers may not see. */
  readLine: (entry: JournalEntry) => LogEntry | undefined;
}

/** A page of the journal, newest first; undefined: unreadable. What the reader may not see is left out before counting. */
export async function readJournalPage(
  { journal, units, readLine }: JournalReading,
  query: LogPageQuery,
): Promise<LogList | undefined> {
  const { limit, cursor, unit, sinceMilliseconds, untilMilliseconds, leastSeverity } = query;
  const behind = cursor?.source === "journal" ? cursor.position : undefined;
  const isMatch = createLogMatch(query);
  const items: LogEntry[] = [];
  let lastSeen: string | undefined;
  let hasMore = false;
  const end = await journal.read(
    {
      units: unit === undefined ? units : [unit],
      // journalctl takes only one beginning; all lines beyond a cursor are old enough.
      ...(behind === undefined ? { sinceMilliseconds, untilMilliseconds } : { behind }),
      leastSeverity,
      order: "newest-first",
    },
    (entry) => {
      // As journalctl does: the first line that is too old ends a reading backwards.
      if (entry.timeMilliseconds < (sinceMilliseconds ?? Number.NEGATIVE_INFINITY)) return false;
      const line = readLine(entry);
      const isWanted = line !== undefined && isMatch(line);
      hasMore = isWanted && items.length === limit;
      if (hasMore) return false;
      if (isWanted) items.push(line);
      lastSeen = entry.cursor;
      return true;
    },
  );
  if (end.kind === "unreadable" || (end.kind === "bounded" && lastSeen === undefined)) return undefined;
  const next_cursor = nextCursor();
  // Only a single page knows the number of lines: see the contract.
  const total = cursor === undefined && next_cursor === null ? items.length : null;
  return { items, total, next_cursor, source: "journal" };

  function nextCursor(): string | null {
    // The last line that is shown, not the last one seen: not every reader may know the place of that one.
    if (hasMore) return items.at(-1)?.cursor ?? null;
    if (end.kind !== "bounded" || lastSeen === undefined) return null;
    return writeCursor({ source: "journal", position: lastSeen });
  }
}

/** The same for the agent's own lines. Throws `invalid_cursor` for a place in another run. */
export async function readOwnPage(ownLines: OwnLines, query: LogPageQuery): Promise<LogList> {
  const { limit, cursor } = query;
  if (cursor && (cursor.source !== "agent" || cursor.run !== ownLines.run)) throw foreignCursor();
  const before = cursor?.source === "agent" ? cursor.sequence : Number.POSITIVE_INFINITY;
  const isMatch = createLogMatch(query);
  const matching = (await ownLines.read())
    .map(({ sequence, ...line }) => ({ sequence, line: readOwnLine({ sequence, ...line }, ownLines.run) }))
    .flatMap(({ sequence, line }) => (line !== undefined && isMatch(line) ? [{ sequence, line }] : []))
    .reverse();
  const rest = matching.filter(({ sequence }) => sequence < before).map(({ line }) => line);
  const items = rest.slice(0, limit);
  const last = items.at(-1);
  const hasMore = last !== undefined && rest.length > items.length;
  return { items, total: matching.length, next_cursor: hasMore ? last.cursor : null, source: "agent" };
}
