import { StewardError } from "../../contract/errors.ts";
import type { LogCounts, LogEntry, LogList } from "../../contract/types.ts";
import type { Journal, JournalEntry, Timers } from "../../host/ports.ts";
import { foreignCursor } from "../../store/documents/pages.ts";
import { createJournalFollower } from "./journal-follower.ts";
import { countJournal, countOwnLines, type LogCountQuery } from "./log-counts.ts";
import { agentUnit, agentUnits, isAllowedUnit, readJournalLine } from "./log-line.ts";
import { type LogPageQuery, readJournalPage, readOwnPage } from "./log-page.ts";
import { type LogReceiver, type LogStreamQuery, streamJournal, streamOwnLines } from "./log-stream.ts";
import type { OwnLines } from "./own-lines.ts";
import { createTurns } from "./turns.ts";

interface LogsOptions {
  journal: Journal;
  timers: Timers;
  ownLines: OwnLines;
  /** Units besides the agent's own whose lines may be read; the host file names them. */
  logUnits: readonly string[];
  /** The name under which the journal has the lines of a unit that has others as well. */
  unitId?: (unit: string) => string;
}

/** The log for people: the journal's allowed units, or the agent's own lines if there is no journal. */
export type Logs = ReturnType<typeof createLogs>;

/** Each reading is a process, for up to five seconds: two at a time leave room for the device's own work. */
const readings = { atOnce: 2, waiting: 32 } as const;

export function createLogs(options: LogsOptions) {
  const { journal, timers, ownLines } = options;
  const allowed = createAllowed(options);
  const inTurn = createTurns(readings);
  const follower = createJournalFollower(journal, timers);
  const readLine = (entry: JournalEntry): LogEntry | undefined => readJournalLine(entry, allowed.has);
  const reading = () => ({ journal, units: allowed.units(), readLine });
  const hasJournal = () => inTurn(() => hasLines(journal, allowed.units()));
  return {
    /**
     * The newest first. Throws `validation_failed` for a unit that is not allowed, `invalid_cursor` and `rate_limited`.
     */
    list: async (asked: LogPageQuery): Promise<LogList> => {
      const query = allowed.read(asked);
      const { cursor } = query;
      if (cursor?.source === "agent") return readOwnPage(ownLines, query);
      const page = await inTurn(() => readJournalPage(reading(), query));
      if (cursor && !page) throw foreignCursor();
      // An empty page may mean that nothing matches, or that the agent's lines go elsewhere.
      const isFromJournal =
        page && (cursor || page.items.length > 0 || page.next_cursor !== null || (await hasJournal()));
      return isFromJournal ? page : readOwnPage(ownLines, query);
    },
    /** Counts the newest lines by unit and priority. Throws `rate_limited`. */
    count: async (query: LogCountQuery): Promise<LogCounts> => {
      allowed.read({});
      const counts = await inTurn(() => countJournal(reading(), query));
      const isFromJournal = counts && (Object.keys(counts.units).length > 0 || (await hasJournal()));
      return isFromJournal ? counts : countOwnLines(ownLines, query);
    },
    /** Sends new lines; returns a function that stops it. Throws `validation_failed` like `list`. */
    stream: (asked: LogStreamQuery, receiver: LogReceiver): (() => void) => {
      const query = allowed.read(asked);
      let isOver = false;
      let stop = (): void => undefined;
      const begin = async (): Promise<void> => {
        const isFromJournal = await hasJournal();
        if (isOver) return;
        stop = isFromJournal
          ? streamJournal({ ...reading(), follower, inTurn }, query, receiver)
          : await streamOwnLines(ownLines, query, receiver);
        // Only the reading of the agent's own lines takes time in which a stream can end.
        if (isOver) stop();
      };
      begin().catch(() => {
        if (!isOver) receiver.end();
      });
      return () => {
        isOver = true;
        stop();
      };
    },
  };
}

async function hasLines(journal: Journal, units: readonly string[]): Promise<boolean> {
  const end = await journal.read({ units, order: "newest-first" }, () => false);
  return end.kind === "stopped";
}

function createAllowed({ logUnits, unitId = (unit) => unit }: LogsOptions) {
  let ids: readonly string[] = [];
  const has = (unit: string) => isAllowedUnit(unit, ids);
  return {
    has,
    units: () => [...agentUnits, ...ids],
    /** At each request, as the reader of logs does: a package may bring a unit of this name later. */
    read: <Query extends { readonly unit?: string | undefined }>(query: Query): Query => {
      ids = logUnits.map((unit) => unitId(unit));
      if (query.unit === undefined) return query;
      const unit = unitId(query.unit);
      if (!has(unit) || unit.includes("*")) throw foreignUnit(query.unit, logUnits);
      return { ...query, unit };
    },
  };
}

function foreignUnit(unit: string, logUnits: readonly string[]): StewardError {
  const allowed = [agentUnit, "steward-….service", ...logUnits].join(", ");
  const detail = `is not a unit whose log can be read here; these are: ${allowed}; log_units of the host file adds others`;
  return new StewardError("validation_failed", `Parameter /unit: ${unit} ${detail}.`, {
    details: { errors: [{ pointer: "/unit", code: "not_allowed", detail }] },
  });
}
