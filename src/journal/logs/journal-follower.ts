import { pauseFor } from "../../host/pause.ts";
import type { Journal, JournalEntry, Timers } from "../../host/ports.ts";

/** One reading of the journal as it grows, for all who follow it. */
export interface JournalFollower {
  /**
   * Hands over each entry to come; returns how to stop. The journal is followed from the first subscriber to the
   * last one's end.
   */
  subscribe(receive: (entry: JournalEntry) => void): () => void;
  /** Settles when every entry that is written from now on will be handed over. */
  ready(): Promise<void>;
}

/** Seconds before a journalctl that has ended is started again: doubled each time, until an entry comes. */
const firstPauseSeconds = 1;
const longestPauseSeconds = 60;

/**
 * Follows the whole journal and not the units that may be read: journalctl looks up which units a pattern means once,
 * at its start, and would never hear of an update's unit that is made later.
 */
export function createJournalFollower(journal: Journal, timers: Timers): JournalFollower {
  const receivers = new Set<(entry: JournalEntry) => void>();
  const receive = (entry: JournalEntry): void => {
    for (const receiver of receivers) receiver(entry);
  };
  let running: { abort: AbortController; position: Promise<string | undefined> } | undefined;
  const start = () => {
    const abort = new AbortController();
    const position = newestCursor(journal);
    // Its only end is the abort.
    void keepFollowing({ journal, timers, receive, signal: abort.signal }, position);
    return { abort, position };
  };
  return {
    subscribe: (receiver) => {
      receivers.add(receiver);
      running ??= start();
      return () => {
        receivers.delete(receiver);
        if (receivers.size > 0) return;
        running?.abort.abort();
        running = undefined;
      };
    },
    ready: async () => {
      await running?.position;
    },
  };
}

interface Following {
  journal: Journal;
  timers: Timers;
  receive: (entry: JournalEntry) => void;
  signal: AbortSignal;
}

/** Begins behind the entry that was the newest one, so that nothing is lost while journalctl starts, also again. */
async function keepFollowing(
  { journal, timers, receive, signal }: Following,
  position: Promise<string | undefined>,
): Promise<void> {
  let behind = await position;
  let pause = firstPauseSeconds;
  while (!signal.aborted) {
    const present = behind;
    await journal.follow(
      present,
      (entry) => {
        // Where the entry to begin behind is gone from the journal, journalctl may begin with it.
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
