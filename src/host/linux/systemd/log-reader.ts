import { connect, type Socket } from "node:net";
import type { JournalEnd } from "../../ports.ts";
import { type JournalQuestion, type JournalSource, moment } from "./journal-source.ts";

const usualPath = "/run/steward-logs.socket";

/** Characters of the answer's last line, which says how the reading ended. */
const longestStatus = 300;

/**
 * The journal through steward-logs, which may read all of it and passes on the part that the host file allows. The
 * agent itself then needs no right to the journal. `otherwise`: the source on a host without that socket, as under
 * `make run`.
 */
export function createLogReader(otherwise: JournalSource, path = usualPath): JournalSource {
  return async (question, receive, signal) => {
    const socket = await open(path, signal);
    if (!socket) return otherwise(question, receive, signal);
    socket.write(`${requestOf(question)}\n`);
    return listen(socket, receive, signal);
  };
}

/** undefined: there is no such socket, or it is not this user's. */
function open(path: string, signal: AbortSignal): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ path, signal });
    socket.once("error", () => resolve(undefined));
    socket.once("connect", () => resolve(socket));
  });
}

function requestOf(question: JournalQuestion): string {
  if (question.kind === "follow") return words("follow", { cursor: question.behind });
  const { units, sinceMilliseconds, untilMilliseconds, leastSeverity, behind, order } = question.query;
  const [unit] = units;
  return words(order === "newest-first" ? "read newest-first" : "read", {
    // More than one unit means all that may be read, which steward-logs knows better.
    unit: units.length === 1 ? unit : undefined,
    since: sinceMilliseconds === undefined ? undefined : moment(sinceMilliseconds),
    until: untilMilliseconds === undefined ? undefined : moment(untilMilliseconds),
    priority: leastSeverity,
    cursor: behind,
  });
}

function words(order: string, parameters: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${value}`],
  );
  return [order, ...given].join(" ");
}

function listen(socket: Socket, receive: (piece: string) => void, signal: AbortSignal): Promise<JournalEnd> {
  return new Promise((resolve) => {
    let last = "";
    socket.setEncoding("utf8").on("data", (piece: string) => {
      last = (last + piece).slice(-longestStatus);
      // The status is not JSON, and is ignored by the reader of entries.
      receive(piece);
    });
    socket.once("close", () => resolve(signal.aborted ? { kind: "bounded" } : endOf(last)));
  });
}

function endOf(last: string): JournalEnd {
  const status = last.trimEnd().split("\n").at(-1) ?? "";
  if (status === "end") return { kind: "whole" };
  if (/^(refused|failed) /.test(status)) return { kind: "unreadable", detail: status };
  return { kind: "bounded" };
}
