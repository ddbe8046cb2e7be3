import type { LogCounts, LogEntry } from "../../contract/types.ts";
import { createLogMatch, type LogFilter } from "./log-filter.ts";
import { readOwnLine } from "./log-line.ts";
import type { JournalReading } from "./log-page.ts";
import type { OwnLines } from "./own-lines.ts";

/** The filters of a count: each unit and priority has a number of its own. */
export type LogCountQuery = Omit<LogFilter, "unit" | "leastSeverity">;

/** Lines that one count reads of the journal: as many as the console scrolls through, within a second or so. */
const mostLines = 10_000;

/** Counts the newest lines of the journal that the reader may see; undefined if it cannot be read. */
export async function countJournal(
  { journal, units, readLine }: JournalReading,
  query: LogCountQuery,
): Promise<LogCounts | undefined> {
  const { sinceMilliseconds, untilMilliseconds } = query;
  const isMatch = createLogMatch(query);
  const counts = createCounts();
  let lines = 0;
  let oldest: number | undefined;
  const end = await journal.read(
    { units, sinceMilliseconds, untilMilliseconds, order: "newest-first" },
    (entry) => {
      if (lines === mostLines) return false;
      const line = readLine(entry);
      if (line !== undefined && isMatch(line)) counts.add(line);
      lines += 1;
      oldest = entry.timeMilliseconds;
      return true;
    },
  );
  if (end.kind === "unreadable" || (end.kind === "bounded" && oldest === undefined)) return undefined;
  const from = end.kind === "whole" || oldest === undefined ? null : new Date(oldest).toISOString();
  return { units: counts.read(), from };
}

/** Counts the agent's own lines, for a host without a journal. */
export async function countOwnLines(ownLines: OwnLines, query: LogCountQuery): Promise<LogCounts> {
  const isMatch = createLogMatch(query);
  const counts = createCounts();
  for (const own of await ownLines.read()) {
    const line = readOwnLine(own, ownLines.run);
    if (line !== undefined && isMatch(line)) counts.add(line);
  }
  return { units: counts.read(), from: null };
}

function createCounts() {
  const units = new Map<string, Map<string, number>>();
  return {
    add: ({ unit, priority }: LogEntry): void => {
      const ofUnit = units.get(unit) ?? new Map<string, number>();
      ofUnit.set(priority, (ofUnit.get(priority) ?? 0) + 1);
      units.set(unit, ofUnit);
    },
    read: (): LogCounts["units"] =>
      Object.fromEntries([...units].map(([unit, ofUnit]) => [unit, Object.fromEntries(ofUnit)])),
  };
}
