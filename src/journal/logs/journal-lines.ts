import type { Uptime } from "../../host/ports.ts";
import { journalFieldsOf } from "./journal-fields.ts";
import type { LoggedText, Severity } from "./log.ts";

/** Sends one entry; false: it was not accepted. */
export type SendEntry = (fields: Readonly<Record<string, string>>) => boolean;

/** Marks an entry of the journal as a copy: the one that counts is in the namespace. */
const copyField = "STEWARD_COPY";

/** Copies in that many seconds: a tenth of what journald takes from one service (journald.conf(5), RateLimitBurst). */
const mostCopies = 1_000;
const windowSeconds = 30;

/**
 * Sends the log's lines to the journal; false: a line was not accepted. Audit lines go to a namespace of their own, so
 * that no flood of other lines drops them or pushes them out. The journal gets copies, for `journalctl -u steward` and
 * for programs that forward it, but only so many that room is left for other lines. `sendAudit`: sends to the namespace,
 * which has its own limits (systemd/journald@steward.conf).
 */
export function createJournalLines(
  send: SendEntry,
  sendAudit: SendEntry,
  uptime: Uptime,
): (line: string, severity: Severity, said: LoggedText) => boolean {
  const mayCopy = createBudget(uptime);
  return (line, severity, said) => {
    const fields = journalFieldsOf(line, severity, said);
    if (said.members.audit !== true || !sendAudit(fields)) return send(fields);
    if (mayCopy()) send({ ...fields, [copyField]: "1" });
    return true;
  };
}

function createBudget(uptime: Uptime): () => boolean {
  let begin = Number.NEGATIVE_INFINITY;
  let count = 0;
  return () => {
    const now = uptime();
    if (now - begin >= windowSeconds) {
      begin = now;
      count = 0;
    }
    count += 1;
    return count <= mostCopies;
  };
}
