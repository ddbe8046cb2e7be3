import { objectIn } from "../../../contract/text/json-of.ts";
import type { JournalEntry } from "../../ports.ts";

/** The fields that are read, besides the cursor and the times, which always come. */
export const journalFields = [
  "MESSAGE",
  "PRIORITY",
  "STEWARD_COPY",
  "STEWARD_JSON",
  "SYSLOG_IDENTIFIER",
  "UNIT",
  "_COMM",
  "_PID",
  "_SYSTEMD_UNIT",
] as const;

/** The severity of a line without a priority: `info`, as in journald. */
const usualSeverity = 6;

/** Reads one line of `journalctl --output=json`; undefined if it is not an entry. */
export function readJournalEntry(line: string): JournalEntry | undefined {
  const fields = objectIn(line);
  const cursor = textOf(fields?.__CURSOR);
  const microseconds = textOf(fields?.__REALTIME_TIMESTAMP);
  // 17 digits reach to the year 5138.
  if (!fields || cursor === null || microseconds === null || !/^\d{1,17}$/.test(microseconds))
    return undefined;
  const pid = numberOf(fields._PID);
  // Any process can send a field UNIT; only that of systemd, process 1, is trusted.
  const about = pid === 1 ? textOf(fields.UNIT) : null;
  return {
    cursor,
    timeMilliseconds: Math.floor(Number(microseconds) / 1_000),
    unit: about ?? textOf(fields._SYSTEMD_UNIT),
    isFromSystemd: about !== null,
    identifier: textOf(fields.SYSLOG_IDENTIFIER) ?? textOf(fields._COMM),
    severity: severityOf(numberOf(fields.PRIORITY)),
    pid,
    message: messageOf(fields.MESSAGE),
    ownLine: textOf(fields.STEWARD_JSON),
    isCopy: fields.STEWARD_COPY !== undefined,
  };
}

/** A field that was sent several times is a list; its first value counts. */
function textOf(value: unknown): string | null {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === "string" ? first : null;
}

function numberOf(value: unknown): number | null {
  const text = textOf(value);
  return text !== null && /^\d{1,10}$/.test(text) ? Number(text) : null;
}

function severityOf(priority: number | null): number {
  return priority !== null && priority <= 7 ? priority : usualSeverity;
}

/** A text; or bytes, if it is not UTF-8 or has control characters; or a list of both, if the field was sent several times. */
function messageOf(value: unknown): string {
  return (
    textOrBytes(value) ?? (Array.isArray(value) ? value.map((one) => textOrBytes(one) ?? "").join("\n") : "")
  );
}

function textOrBytes(value: unknown): string | null {
  if (typeof value === "string") return value;
  const isBytes = Array.isArray(value) && value.every((item) => typeof item === "number");
  return isBytes ? Buffer.from(value).toString("utf8") : null;
}
