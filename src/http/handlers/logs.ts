import { durationSeconds } from "../../contract/durations.ts";
import { StewardError } from "../../contract/errors.ts";
import type { logOperations } from "../../contract/operations/logs.ts";
import { severityWords } from "../../contract/schemas/logs.ts";
import type { SeverityWord } from "../../contract/types.ts";
import { readCursor } from "../../journal/logs/log-cursor.ts";
import type { LogFilter, RequestStatus } from "../../journal/logs/log-filter.ts";
import type { Logs } from "../../journal/logs/logs.ts";
import { type Actor, type HandlersOf, roleOf } from "../call.ts";

/** Shows the log of the agent and its units to every role, and the audit lines to administrators. */
export function createLogHandlers(logs: Logs, now: () => Date): HandlersOf<typeof logOperations> {
  return {
    listLogs: ({ query, actor }) => {
      const { cursor, limit = usualLimit, ...filters } = query;
      return logs.list({
        ...filterOf(filters, actor, now()),
        limit,
        cursor: cursor === undefined ? undefined : readCursor(cursor),
      });
    },
    countLogs: ({ query, actor }) => logs.count(filterOf(query, actor, now())),
    streamLogs: ({ query, actor, lastEventId }) => {
      // A client that has received no id yet sends an empty one (WHATWG HTML §9.2.4).
      const behind = lastEventId ? readCursor(lastEventId) : undefined;
      // The stream begins at this moment: a line that is written while the journal is opened must not be lost.
      const begin = query.since === undefined && !behind ? { since: "0s" } : {};
      const filter = filterOf({ ...query, ...begin }, actor, now());
      return (send, end) =>
        logs.stream(
          { ...filter, behind },
          { send: (entry) => send({ id: entry.cursor, event: "log", data: entry }), end },
        );
    },
  };
}

/** The contract's default. */
const usualLimit = 100;

interface Filters {
  unit?: string;
  since?: string;
  until?: string;
  priority?: SeverityWord;
  q?: string;
  status?: RequestStatus;
  user?: string;
  others_only?: boolean;
}

function filterOf(filters: Filters, actor: Actor, now: Date): LogFilter {
  const { unit, since, until, priority, q, status, user, others_only } = filters;
  return {
    unit,
    sinceMilliseconds: momentOf("since", since, now),
    untilMilliseconds: momentOf("until", until, now),
    leastSeverity: priority === undefined ? undefined : severityWords.indexOf(priority),
    ...{ q, status, user },
    exceptSession: others_only && actor.kind === "user" ? actor.session.id : undefined,
    mayReadAudit: mayReadAudit(actor),
  };
}

/** Administrators see the actors of audit lines, and so do their API tokens that may read events. */
function mayReadAudit(actor: Actor): boolean {
  if (actor.kind === "token" && !actor.token.scopes.includes("events:read")) return false;
  return roleOf(actor) === "admin";
}

/** Milliseconds since the epoch of a time, or of a duration before now. Throws `validation_failed` for 30 February. */
export function momentOf(name: string, text: string | undefined, now: Date): number | undefined {
  if (text === undefined) return undefined;
  if (!text.includes("T")) return Math.max(0, now.getTime() - durationSeconds(text) * 1_000);
  const moment = Date.parse(text);
  if (!Number.isNaN(moment)) return Math.max(0, moment);
  const detail = "must be an RFC 3339 time that exists, or a duration such as 15m";
  throw new StewardError("validation_failed", `Parameter /${name} ${detail}.`, {
    details: { errors: [{ pointer: `/${name}`, code: "format", detail }] },
  });
}
