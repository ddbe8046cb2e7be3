import { existsSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { StewardError, systemErrorCode } from "../../../contract/errors.ts";
import type { Peer, RootHelper, RootOrder, RootOrderLimits, UnitOf } from "../../ports.ts";

export const usualHelperSocket = "/run/steward-helper.socket";

const patienceMilliseconds = 30_000;

/** For a look at two files, for which systemd may have to start the helper on a slow device; others wait for it. */
const lookMilliseconds = 15_000;

/** Bytes of an answer; the longest is `unit` and the name of one. */
const mostAnswerBytes = 264;

/** The root helper behind this socket; null: this agent has none, as in a trial. */
export function createRootHelper(socket: string | null): RootHelper {
  return {
    ask: async (order, limits = {}) => {
      if (socket === null) throw absent();
      const line = lineOf(order);
      const answer = await exchange(socket, line, limits);
      if (answer !== "ok") throw judged(line, answer);
    },
    mayBeAsked: socket !== null,
    absence: () => (socket === null || isListening(socket) ? null : absent().message),
  };
}

export function createUnitOf(socket: string | null): UnitOf {
  return async ({ pid, uid }: Peer) => {
    if (socket === null) throw absent();
    const line = lineOf({ word: "unit-of", pid, uid });
    const answer = await exchange(socket, line, { timeoutMilliseconds: lookMilliseconds });
    const [, unit] = /^unit ([\w:.\\@-]+)$/.exec(answer) ?? [];
    if (unit !== undefined) return unit;
    throw judged(line, answer);
  };
}

/** Checks without a connection, which would start the helper. The file of a unit that was masked remains. */
function isListening(socket: string): boolean {
  if (!existsSync(socket)) return false;
  try {
    // unix(7): the flag 0x10000 is __SO_ACCEPTCON.
    const sockets = readFileSync("/proc/self/net/unix", "utf8").split("\n");
    return sockets.some((line) => line.endsWith(` ${socket}`) && line.split(" ")[3] === "00010000");
  } catch {
    // A sandbox may hide the table: then the file decides.
    return true;
  }
}

/** The word, and its argument where it has one. */
function lineOf({ word, ...argument }: RootOrder | ({ readonly word: "unit-of" } & Peer)): string {
  return [word, ...Object.values(argument)].join(" ");
}

/** Sends the line and returns the answer, without its line feed. */
function exchange(
  socket: string,
  line: string,
  { timeoutMilliseconds = patienceMilliseconds, signal }: RootOrderLimits,
): Promise<string> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    let answer = "";
    const connection = connect(socket, () => connection.write(`${line}\n`, "latin1"));
    const end = (settle: () => void): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
      connection.destroy();
      settle();
    };
    const abort = (): void => end(() => reject(signal?.reason));
    const timer = setTimeout(
      () => end(() => reject(failure(line, `took longer than ${timeoutMilliseconds / 1_000} s`))),
      timeoutMilliseconds,
    );
    signal?.addEventListener("abort", abort);
    connection.setEncoding("latin1").on("data", (text: string) => {
      answer += text;
      if (answer.endsWith("\n") || answer.length > mostAnswerBytes) end(() => resolve(answer.trimEnd()));
    });
    connection.once("error", (error) => end(() => reject(unreachable(line, error))));
    connection.once("close", () => end(() => reject(failure(line, "ended without an answer"))));
  });
}

/** The error of an answer that is not what was asked for. */
function judged(line: string, answer: string): StewardError {
  if (answer === "refused") return refused(line);
  const [, seconds, code] = /^(?:limited (\d{1,6})|failed ([A-Z0-9]{1,20}))$/.exec(answer) ?? [];
  if (seconds !== undefined) return limited(line, Number(seconds));
  if (code !== undefined) return failed(line, code);
  return failure(line, "gave an answer that has no meaning");
}

/** The exit code of systemctl(1), or the name of a system error. */
function failed(line: string, code: string): StewardError {
  // systemctl(1): "unit not found", in the words of the LSB "program is not installed".
  if (["5", "ENOENT", "ESRCH"].includes(code))
    return new StewardError("not_found", `The root helper cannot do "${line}": this host does not have it.`);
  const said = `The root helper could not do "${line}"`;
  if (code === "ENOSPC" || code === "EDQUOT")
    return new StewardError("storage_full", `${said}: the disk is full. Nothing was changed.`);
  if (code === "EROFS")
    return new StewardError(
      "storage_unwritable",
      `${said}: /etc is read-only or, in a container, /proc/sys. Nothing was changed.`,
    );
  return new StewardError("internal_error", `${said}: it failed with ${code}. ${whereToLook}`);
}

const whereToLook = "`journalctl --unit='steward-*'` says why.";

function failure(line: string, how: string): StewardError {
  return new StewardError("internal_error", `The root helper ${how} for "${line}". ${whereToLook}`);
}

function limited(line: string, seconds: number): StewardError {
  return new StewardError(
    "rate_limited",
    `The root helper has had too many orders such as "${line}", or such that took long. Try again in ${seconds} s.`,
    { details: { retryAfterSeconds: seconds } },
  );
}

function refused(line: string): StewardError {
  return new StewardError(
    "forbidden",
    `The root helper refused "${line}": it is of another version of Steward, or it takes no orders from this user. Install the same version again.`,
  );
}

function unreachable(line: string, cause: Error): StewardError {
  const code = systemErrorCode(cause) ?? "";
  if (code === "ENOENT" || code === "ECONNREFUSED") return absent(cause);
  // More connections wait than the socket holds.
  if (code === "EAGAIN") return limited(line, 1);
  if (code === "EACCES" || code === "EPERM")
    return new StewardError("forbidden", "This user cannot ask the root helper.", { cause });
  return new StewardError(
    "internal_error",
    `The root helper cannot be asked for "${line}": ${cause.message}.`,
    { cause },
  );
}

function absent(cause?: unknown): StewardError {
  return new StewardError(
    "forbidden",
    "This host has no root helper. As root: systemctl unmask steward-helper.socket; systemctl restart steward-helper.socket.",
    { cause },
  );
}
