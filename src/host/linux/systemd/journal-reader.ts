import type { Journal, JournalEnd, JournalEntry } from "../../ports.ts";
import { readJournalEntry } from "./journal-entry.ts";
import type { JournalSource } from "./journal-source.ts";
import { createJournalctl, type JournalctlOptions } from "./journalctl.ts";

export interface JournalReaderOptions extends JournalctlOptions {
  /** The source of the lines; by default this process runs journalctl. */
  source?: JournalSource;
  timeoutMilliseconds?: number;
  entryLimit?: number;
}

/** Milliseconds for one reading: a page comes within some 50, a search through 20,000 entries within 2,000. */
const patienceMilliseconds = 5_000;

/** Entries of one reading; a longer search asks for the next page. */
const usualEntryLimit = 20_000;

/** Characters of JSON of one entry. A longer one is skipped: it would have to be kept in memory, and is read in one turn. */
const longestLine = 262_144;

export function createJournalReader(options: JournalReaderOptions = {}): Journal {
  const { timeoutMilliseconds = patienceMilliseconds, entryLimit = usualEntryLimit } = options;
  const { source = createJournalctl(options) } = options;
  return {
    read: async (query, visit) => {
      const abort = new AbortController();
      let early: JournalEnd | undefined;
      let entries = 0;
      const stop = (end: JournalEnd): void => {
        early = end;
        abort.abort();
      };
      const timer = setTimeout(() => stop({ kind: "bounded" }), timeoutMilliseconds);
      const receive = (entry: JournalEntry): void => {
        // --cursor begins with the entry itself; --after-cursor would skip one too many if that entry is gone.
        if (early || entry.cursor === query.behind) return;
        entries += 1;
        if (entries > entryLimit) stop({ kind: "bounded" });
        else if (!visit(entry)) stop({ kind: "stopped" });
      };
      const end = await source({ kind: "read", query }, eachEntry(receive), abort.signal);
      clearTimeout(timer);
      return early ?? end;
    },
    follow: async (behind, receive, signal) => {
      const take = eachEntry((entry) => {
        if (!signal.aborted) receive(entry);
      });
      await source({ kind: "follow", behind }, take, signal);
    },
  };
}

/** Pieces in, entries out. */
function eachEntry(receive: (entry: JournalEntry) => void): (piece: string) => void {
  let rest = "";
  let isSkipping = false;
  return (piece) => {
    const lines = (rest + piece).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const entry = isSkipping ? undefined : readJournalEntry(line);
      isSkipping = false;
      if (entry) receive(entry);
    }
    if (rest.length <= longestLine) return;
    rest = "";
    isSkipping = true;
  };
}
