import { dirname } from "node:path";
import { errorCodes } from "../contract/error-codes.ts";
import { messageOf, StewardError, systemErrorCode } from "../contract/errors.ts";
import type { ProblemClock } from "../contract/types.ts";
import { titleOf } from "../contract/words/en/problems.ts";
import { CommandError } from "./command-error.ts";
import { escapeLines, escapeText } from "./escape.ts";

/** A refusal that came with a document of its own (RFC 9457), which is printed for programs as it came. */
export class DocumentedRefusal extends StewardError {
  readonly problem: object;

  constructor(code: StewardError["code"], problem: { detail: string }, details: StewardError["details"]) {
    super(code, problem.detail, { details });
    this.problem = problem;
  }
}

/** The exit code for an error that ended a command: 1 for an unexpected one. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof CommandError) return error.exitCode;
  if (error instanceof StewardError) return errorCodes[error.code].exit;
  return 1;
}

/** The text for standard error, without the last line feed. */
export function describeFailure(program: string, error: unknown): string {
  if (error instanceof CommandError) return escapeLines(`${program}: ${error.message}`);
  if (!(error instanceof StewardError)) return escapeText(`${program}: ${messageOf(error)}`);
  const { reason, errors, clock, retryAfterSeconds } = error.details;
  const lines = [`${program}: ${error.message}${reason === undefined ? "" : ` (${reason})`}`];
  for (const wrong of errors ?? []) lines.push(`  ${wrong.pointer}: ${wrong.detail}`);
  if (clock !== undefined) lines.push(describeClock(clock));
  if (retryAfterSeconds !== undefined && isPassing(error)) {
    lines.push(`Try again in ${retryAfterSeconds} seconds.`);
  }
  return lines.map(escapeText).join("\n");
}

/** Codes of a 503 that last until the device is repaired, though the agent gives each a Retry-After. */
const lasting: readonly StewardError["code"][] = [
  "setup_required",
  "second_factor_unavailable",
  "state_damaged",
  "not_ready",
  "no_time_source",
  "no_majority",
];

/** True where waiting helps and the message does not say so itself. */
function isPassing({ code, message }: StewardError): boolean {
  return !lasting.includes(code) && !/\btry again\b/i.test(message);
}

export function describeClock({ server_time, synchronised, skew_suspected }: ProblemClock): string {
  const worth = synchronised === true ? "its clock is synchronised" : "its clock is not trusted";
  const skew = skew_suspected === true ? ", and the code belongs to another time" : "";
  return `The device says it is ${server_time}; ${worth}${skew}.`;
}

/** A failure for programs: the problem document of the agent, or one made here. */
export function failureDocument(error: unknown): object {
  if (error instanceof DocumentedRefusal) return error.problem;
  if (!(error instanceof StewardError)) {
    const detail = error instanceof CommandError ? error.message : messageOf(error);
    // RFC 9457 §4.2.1: about:blank says no more than the other members do.
    return { type: "about:blank", title: "The command failed", detail, exit_code: exitCodeOf(error) };
  }
  const { reason, errors, retryAfterSeconds } = error.details;
  return {
    type: `urn:steward:problem:${error.code}`,
    title: titleOf(error.code),
    status: error.status,
    detail: error.message,
    code: error.code,
    ...(reason === undefined ? {} : { reason }),
    ...(errors === undefined ? {} : { errors }),
    ...(retryAfterSeconds === undefined ? {} : { retry_after: retryAfterSeconds }),
  };
}

/** A file that cannot be read or written, as a failure of the command line that says what to do. */
export function fileFailure(error: unknown, path: string): CommandError {
  const code = systemErrorCode(error);
  if (code === "ENOENT") return new CommandError(3, escapeText(`${path} does not exist.`));
  if (code === "EACCES" || code === "EPERM") {
    const why = `${path} is not open to this user; run the command as root or as the service's user.`;
    return new CommandError(4, escapeText(why));
  }
  if (code === "EISDIR") return new CommandError(6, escapeText(`${path} is a directory. Name a file.`));
  return new CommandError(1, escapeText(`${path} cannot be used: ${messageOf(error)}`));
}

/** A file that cannot be made; nothing is ever written over. */
export function newFileFailure(error: unknown, path: string): CommandError {
  const code = systemErrorCode(error);
  if (code === "ENOENT") return new CommandError(3, escapeText(`${dirname(path)} does not exist.`));
  if (code !== "EEXIST") return fileFailure(error, path);
  const why = `${path} already exists and is not overwritten. Remove it first, or name another file.`;
  return new CommandError(1, escapeText(why));
}
