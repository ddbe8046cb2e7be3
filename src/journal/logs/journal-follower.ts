import { pauseFor } from "../../host/pause.ts";
import type { Journal, JournalEntry, Timers } from "../../host/ports.ts";

/** One process reads the journal as it grows, for all followers. */
export type JournalFollower = ReturnType<typeof createJournalFollower>;

/** Seconds before a journalctl that has ended is started again; doubled each time, until an entry comes. */
const firstPauseSeconds = 1;
const longestPauseSeconds = 60;

/** Follows the whole journal: journalctl expands a pattern of units at its start, and would miss later units. */
export function createJournalFollower(journal: Journal, timers: Timers) {
  const receivers = new Set<(entry: JournalEntry) => void>();
  const receive = (entry: JournalEntry): void => {
    for (const receiver of receivers) receiver(entry);
  };
  let running: { abort: AbortController; position: Promise<string | undefined> } | undefined;
  const start = () => {
    const abort = new AbortController();
    const position = newestCursor(journal);
    // It ends only by the abort.
    void keepFollowing(journal, receive, position, { timers, signal: abort.signal });
    return { abort, position };
  };
  return {
    /** Calls `receive` for each new entry; returns what stops it. The journal is followed while anyone subscribes. */
    subscribe: (receiver: (entry: JournalEntry) => void): (() => void) => {
      receivers.add(receiver);
      running ??= start();
      return () => {
        receivers.delete(receiver);
        if (receivers.size > 0) return;
        running?.abort.abort();
        running = undefined;
      };
    },
    /** Settles when every entry that is written from now on will be passed on. */
    ready: async (): Promise<void> => {
      await running?.position;
    },
  };
}

/** Begins after the entry that was the newest, so that nothing is lost while journalctl starts, also again. */
async function keepFollowing(
  journal: Journal,
  receive: (entry: JournalEntry) => void,
  position: Promise<string | undefined>,
  { timers, signal }: { timers: Timers; signal: AbortSignal },
): Promise<void> {
  let behind = await position;
  let pause = firstPauseSeconds;
  while (!signal.aborted) {
    const present = behind;
    await journal.follow(
      present,
      (entry) => {
        // If the entry to begin after is no longer in the journal, journalctl may begin with it.
        if (entry.cursor === present) return;
        behind = entry.cursor;
        pause = firstPauseSeconds;
        receive(entry);
      },
      signal,
    );
    await pauseFor(pause, { timers, signal });
    pause = Math.min(pause * 2, longestPauseSeconds);
  }
}

async function newestCursor(journal: Journal): Promise<string | undefined> {
  let cursor: string | undefined;
  await journal.read({ units: [], order: "newest-first" }, (entry) => {
    cursor = entry.cursor;
    return false;
  });
  return cursor;
}
