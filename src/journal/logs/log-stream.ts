import type { LogEntry } from "../../contract/types.ts";
import type { JournalFollower } from "./journal-follower.ts";
import type { LogCursor } from "./log-cursor.ts";
import { createLogMatch, type LogFilter } from "./log-filter.ts";
import { readOwnLine } from "./log-line.ts";
import type { JournalReading } from "./log-page.ts";
import type { OwnLines } from "./own-lines.ts";
import type { InTurn } from "./turns.ts";

export interface LogStreamQuery extends LogFilter {
  /** The last line that the reader has; the lines after it come first. */
  readonly behind?: LogCursor | undefined;
}

/** Takes line after line; `end` means that no more will come, and that the reader may ask again. */
export interface LogReceiver {
  send: (entry: LogEntry) => void;
  end: () => void;
}

/**
 * Lines that one stream catches up on, or keeps waiting meanwhile; a reader that is further behind has to reconnect.
 */
const mostLines = 10_000;

interface JournalFollowing extends JournalReading {
  follower: JournalFollower;
  inTurn: InTurn;
}

/** Sends the requested lines of the journal, each once and in order: first the missed ones, then new ones. */
export function streamJournal(
  options: JournalFollowing,
  query: LogStreamQuery,
  { send, end }: LogReceiver,
): () => void {
  const isMatch = createLogMatch(query);
  const isCatchingUp = query.behind?.source === "journal" || query.sinceMilliseconds !== undefined;
  // New lines wait here while the past is read.
  let waiting: LogEntry[] | undefined = isCatchingUp ? [] : undefined;
  // Some new lines were already read as past, also for a while later if the follower lags behind.
  const sent = new Set<string>();
  let isOver = false;
  const stop = (): void => {
    isOver = true;
    unsubscribe();
  };
  const giveUp = (): void => {
    if (isOver) return;
    stop();
    end();
  };
  const sendNew = (line: LogEntry): void => {
    if (sent.has(line.cursor)) return;
    // Lines are in order: none of the past comes after the first new line.
    sent.clear();
    send(line);
  };
  const unsubscribe = options.follower.subscribe((entry) => {
    const line = options.readLine(entry);
    if (!line || !isMatch(line)) return;
    if (!waiting) return sendNew(line);
    waiting.push(line);
    if (waiting.length > mostLines) giveUp();
  });
  const catchUp = async (): Promise<void> => {
    await options.follower.ready();
    const isWhole = await readPast(options, query, (line) => {
      if (isOver || sent.size === mostLines) return false;
      sent.add(line.cursor);
      send(line);
      return true;
    });
    if (isOver) return;
    if (!isWhole) return giveUp();
    for (const line of waiting ?? []) sendNew(line);
    waiting = undefined;
  };
  if (isCatchingUp) catchUp().catch(giveUp);
  return stop;
}

/** Reads on, one bounded reading after the other, to the end of the journal (true), or until `take` returns false. */
async function readPast(
  { journal, inTurn, units, readLine }: JournalFollowing,
  query: LogStreamQuery,
  take: (line: LogEntry) => boolean,
): Promise<boolean> {
  const { unit, sinceMilliseconds, leastSeverity } = query;
  const isMatch = createLogMatch(query);
  let behind = query.behind?.source === "journal" ? query.behind.position : undefined;
  for (;;) {
    const begin = behind;
    const end = await inTurn(() =>
      journal.read(
        {
          units: unit === undefined ? units : [unit],
          ...(begin === undefined ? { sinceMilliseconds } : { behind: begin }),
          leastSeverity,
          order: "oldest-first",
        },
        (entry) => {
          behind = entry.cursor;
          const line = readLine(entry);
          return line === undefined || !isMatch(line) || take(line);
        },
      ),
    );
    if (end.kind !== "bounded" || behind === begin) return end.kind === "whole";
  }
}

/** The same for the agent's own lines. A place in another run is before all of them. */
export async function streamOwnLines(
  ownLines: OwnLines,
  query: LogStreamQuery,
  { send }: LogReceiver,
): Promise<() => void> {
  const { behind, sinceMilliseconds } = query;
  const isMatch = createLogMatch(query);
  const isSameRun = behind?.source === "agent" && behind.run === ownLines.run;
  const past = behind || sinceMilliseconds !== undefined ? await ownLines.read() : [];
  const first = behind && !isSameRun ? 1 : Number.NEGATIVE_INFINITY;
  const after = isSameRun ? behind.sequence : Number.NEGATIVE_INFINITY;
  const sendLine = (line: LogEntry | undefined): void => {
    if (line && isMatch(line)) send(line);
  };
  for (const line of past) {
    if (line.sequence >= first && line.sequence > after) sendLine(readOwnLine(line, ownLines.run));
  }
  return ownLines.subscribe((line) => sendLine(readOwnLine(line, ownLines.run)));
}
