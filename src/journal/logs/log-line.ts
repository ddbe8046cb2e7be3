import { severityWords } from "../../contract/schemas/logs.ts";
import { objectIn } from "../../contract/text/json-of.ts";
import type { LogEntry, SeverityWord } from "../../contract/types.ts";
import type { JournalEntry } from "../../host/ports.ts";
import { writeCursor } from "./log-cursor.ts";
import type { OwnLine } from "./own-lines.ts";

export const agentUnit = "steward.service";

/** The agent's unit and those that it starts; each update has its own. */
export const agentUnits: readonly string[] = [agentUnit, "steward-*.service"];

const agentUnitName = /^steward(-[A-Za-z0-9:_.@-]{1,120})?\.service$/;

/** True if a unit's lines may be read here: the agent's own, and those that the host file names. */
type IsAllowed = (unit: string) => boolean;

/** `ids`: those that the host file names; `*` in one matches any instance. */
export function isAllowedUnit(unit: string, ids: readonly string[]): boolean {
  const isOf = (id: string) => {
    const [before = "", after] = id.split("*");
    return after === undefined ? id === unit : unit.startsWith(before) && unit.endsWith(after);
  };
  return agentUnitName.test(unit) || ids.some(isOf);
}

/** Characters of a message; the rest is cut off, and a mark shows it. */
const longestMessage = 16_384;

/** An entry for readers; undefined if they may not see its unit, or it is a copy. */
export function readJournalLine(entry: JournalEntry, isAllowed: IsAllowed): LogEntry | undefined {
  const { unit, cursor, identifier, pid } = entry;
  if (unit === null || !isAllowed(unit)) return undefined;
  // The members of a line count only if the agent wrote it; another unit's may claim anything.
  const isOwn = agentUnitName.test(unit) && !entry.isFromSystemd;
  if (isOwn && entry.isCopy) return undefined;
  const own = isOwn ? readOwnText(entry.ownLine ?? entry.message) : undefined;
  return {
    time: new Date(entry.timeMilliseconds).toISOString(),
    unit,
    identifier,
    priority: own?.priority ?? severityWords[entry.severity] ?? "info",
    message: cutMessage(own?.message ?? entry.message),
    pid,
    audit: own?.audit ?? false,
    members: own?.members ?? null,
    ...(own && requestOf(own)),
    cursor: writeCursor({ source: "journal", position: cursor }),
  };
}

/** The same for one of the agent's own lines; undefined if it is not whole, as after a power cut. */
export function readOwnLine({ text, sequence }: OwnLine, run: string): LogEntry | undefined {
  const own = readOwnText(text);
  if (!own) return undefined;
  const { time, priority, message, audit, members } = own;
  return {
    time: new Date(time).toISOString(),
    unit: agentUnit,
    identifier: "steward",
    priority,
    message: cutMessage(message),
    pid: null,
    audit,
    members,
    ...requestOf(own),
    cursor: writeCursor({ source: "agent", run, sequence }),
  };
}

interface OwnText {
  /** Milliseconds since the epoch. */
  time: number;
  priority: SeverityWord;
  message: string;
  audit: boolean;
  members: Record<string, unknown>;
}

/** The request of an audit line. Lines of earlier agents have neither duration nor user. */
function requestOf({ message, audit, members }: OwnText): Pick<LogEntry, "request"> {
  const { status, duration_ms, user, count } = members;
  const [, method, path] = /^([A-Z]+) (.+)$/s.exec(message) ?? [];
  if (!audit || !Number.isInteger(status) || method === undefined || path === undefined) return {};
  return {
    request: {
      method,
      path,
      status: Number(status),
      duration_ms: typeof duration_ms === "number" ? duration_ms : null,
      user: typeof user === "string" ? user : null,
      count: typeof count === "number" ? count : 1,
    },
  };
}

const words: Readonly<Record<string, SeverityWord>> = {
  error: "err",
  warning: "warning",
  notice: "notice",
  info: "info",
};

function readOwnText(text: string): OwnText | undefined {
  const { time, severity, message, audit, ...members } =
    (text.startsWith("{") && objectIn(text)) || ({} as Record<string, unknown>);
  const moment = typeof time === "string" ? Date.parse(time) : Number.NaN;
  const priority =
    typeof severity === "string" && Object.hasOwn(words, severity) ? words[severity] : undefined;
  if (Number.isNaN(moment) || !priority || typeof message !== "string") return undefined;
  return { time: moment, priority, message, audit: audit === true, members };
}

function cutMessage(message: string): string {
  if (message.length <= longestMessage) return message;
  // Not through the middle of a surrogate pair.
  const kept = message.slice(0, longestMessage).replace(/[\ud800-\udbff]$/, "");
  return `${kept}… (cut: ${message.length} characters)`;
}
