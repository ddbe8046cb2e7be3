import { type requestStatuses, severityWords } from "../../contract/schemas/logs.ts";
import type { LogEntry } from "../../contract/types.ts";

export type RequestStatus = (typeof requestStatuses)[number];

/** The lines that a reader asks for and may see. */
export interface LogFilter {
  readonly unit?: string | undefined;
  /** Since the epoch, both ends included. */
  readonly sinceMilliseconds?: number | undefined;
  readonly untilMilliseconds?: number | undefined;
  /** 0 (emerg) to 7 (debug). */
  readonly leastSeverity?: number | undefined;
  /** A part of the message, literally, in any case. */
  readonly q?: string | undefined;
  /** Only requests with this end, or of this sender. */
  readonly status?: RequestStatus | undefined;
  readonly user?: string | undefined;
  /** No requests of this session, unless they were refused or failed. */
  readonly exceptSession?: string | undefined;
  /** True only for administrators. */
  readonly mayReadAudit: boolean;
}

/** Tests each line. The journal has already been asked for most of it, which makes the answer fast, not right. */
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
    if (part !== undefined && !entry.message.toLowerCase().includes(part)) return false;
    return isAskedRequest(entry, filter);
  };
}

function isAskedRequest({ request, members }: LogEntry, filter: LogFilter): boolean {
  const { status, user, exceptSession } = filter;
  const isOwn = exceptSession !== undefined && members?.session === exceptSession;
  if (isOwn && request !== undefined && request.status < 400) return false;
  if (status === undefined && user === undefined) return true;
  if (request === undefined) return false;
  const isSo =
    status === "failed" ? request.status >= 400 : `${Math.floor(request.status / 100)}xx` === status;
  if (status !== undefined && !isSo) return false;
  // A token's name follows its user's.
  return user === undefined || request.user === user || request.user?.startsWith(`${user}/`) === true;
}
