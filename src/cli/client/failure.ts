import { dirname } from "node:path";
import { errorCodes } from "../../contract/error-codes.ts";
import { type InputError, StewardError, systemErrorCode } from "../../contract/errors.ts";
import type { ProblemClock } from "../../contract/types.ts";
import { titleOf } from "../../contract/words/en/problems.ts";
import { escapeLines, escapeText } from "../terminal/escape.ts";
import { CommandError } from "./context.ts";

/** The agent's own problem document (RFC 9457), as far as the command line reads it. */
export interface Problem {
  readonly code: string;
  readonly detail: string;
  readonly reason?: string;
  readonly errors?: readonly InputError[];
  readonly clock?: ProblemClock;
  readonly challenge_token?: string;
  readonly retry_after?: number;
}

/** A refusal that came over the wire; it keeps the document, with its request_id, for `-o json`. */
export class AgentRefusal extends StewardError {
  readonly problem: Problem;

  constructor(code: StewardError["code"], problem: Problem) {
    super(code, problem.detail, {
      details: {
        ...(problem.reason === undefined ? {} : { reason: problem.reason }),
        ...(problem.errors === undefined ? {} : { errors: problem.errors }),
        ...(problem.clock === undefined ? {} : { clock: problem.clock }),
        ...(problem.challenge_token === undefined ? {} : { challengeToken: problem.challenge_token }),
        ...(problem.retry_after === undefined ? {} : { retryAfterSeconds: problem.retry_after }),
      },
    });
    this.name = "AgentRefusal";
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
export function describeFailure(error: unknown): string {
  if (error instanceof CommandError) return escapeLines(`steward: ${error.message}`);
  if (!(error instanceof StewardError)) return escapeText(`steward: ${unforeseen(error)}`);
  const { reason, errors, clock, retryAfterSeconds } = error.details;
  const lines = [`steward: ${error.message}${reason === undefined ? "" : ` (${reason})`}`];
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

/** Whether waiting helps, and the message does not say so itself. */
function isPassing({ code, message }: StewardError): boolean {
  return !lasting.includes(code) && !/\btry again\b/i.test(message);
}

/** The device's own time, as a sentence. */
export function describeClock({ server_time, synchronised, skew_suspected }: ProblemClock): string {
  const worth = synchronised === true ? "its clock is synchronised" : "its clock is not trusted";
  const skew = skew_suspected === true ? ", and the code belongs to another time" : "";
  return `The device says it is ${server_time}; ${worth}${skew}.`;
}

/** A failure for programs: the problem document of the agent, or one made here. */
export function failureDocument(error: unknown): object {
  if (error instanceof AgentRefusal) return error.problem;
  if (!(error instanceof StewardError)) {
    const detail = error instanceof CommandError ? error.message : unforeseen(error);
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
  return new CommandError(1, escapeText(`${path} cannot be used: ${unforeseen(error)}`));
}

/** A file that cannot be made; nothing is ever written over. */
export function newFileFailure(error: unknown, path: string): CommandError {
  const code = systemErrorCode(error);
  if (code === "ENOENT") return new CommandError(3, escapeText(`${dirname(path)} does not exist.`));
  if (code !== "EEXIST") return fileFailure(error, path);
  const why = `${path} is there already and is not written over. Remove it first, or name another file.`;
  return new CommandError(1, escapeText(why));
}

function unforeseen(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
