import type { IncomingMessage } from "node:http";
import { errorCodes } from "../../contract/error-codes.ts";
import type { InputError, StewardError } from "../../contract/errors.ts";
import { valueIn } from "../../contract/text/json-of.ts";
import type { ProblemClock } from "../../contract/types.ts";
import { CommandError } from "../../terminal/command-error.ts";
import { whereGiven } from "../../terminal/commands/command.ts";
import { DocumentedRefusal } from "../../terminal/failure.ts";
import { BoundlessAnswer } from "./context.ts";
import type { Places } from "./places.ts";

/** The agent's own problem document (RFC 9457), as far as the command line reads it. */
interface Problem {
  readonly code: string;
  readonly detail: string;
  readonly reason?: string;
  readonly errors?: readonly InputError[];
  readonly clock?: ProblemClock;
  readonly challenge_token?: string;
  readonly retry_after?: number;
}

/** A refusal that came over the wire; it keeps the document, with its request_id, for `-o json`. */
export class AgentRefusal extends DocumentedRefusal {
  constructor(code: StewardError["code"], problem: Problem) {
    const { reason, errors, clock, challenge_token, retry_after } = problem;
    const renamed = { challengeToken: challenge_token, retryAfterSeconds: retry_after };
    super(code, problem, whereGiven({ reason, errors, clock, ...renamed }));
    this.name = "AgentRefusal";
  }
}

export type Answer = Awaited<ReturnType<typeof receiveAnswer>>;

/** Bytes of an answer; a page of 200 long log lines has some ten million. */
const mostBytes = 16 * 1024 * 1024;

/** Reads an answer to its end. Throws BoundlessAnswer, or the connection's error where that breaks off. */
export async function receiveAnswer(response: IncomingMessage, places: Places) {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // Leaving the loop ends the connection.
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > mostBytes) {
      const who = places.url?.origin ?? places.socketPath;
      throw new BoundlessAnswer(
        `The program that answers at ${who} sent more than 16 MiB, which the agent never does.`,
      );
    }
    chunks.push(chunk);
  }
  return {
    status: response.statusCode ?? 0,
    contentType: response.headers["content-type"] ?? "",
    text: Buffer.concat(chunks).toString("utf8"),
  };
}

/** The document of an answer. Throws the error of a refusal, and for an answer that cannot be the agent's. */
export function readAnswer({ status, contentType, text }: Answer, places: Places): unknown {
  if (status >= 200 && status < 300 && text === "") return undefined;
  const mediaType = contentType.split(";", 1)[0]?.trim();
  const document = valueIn(text);
  if (status >= 200 && status < 300 && mediaType === "application/json" && document !== undefined)
    return document;
  if (mediaType === "application/problem+json" && isProblem(document)) throw refusalOf(document, status);
  const who = places.url?.origin ?? places.socketPath;
  throw new CommandError(
    1,
    `The program that answers at ${who} is not the agent: it sent status ${status} with ${mediaType || "no media type"}.`,
  );
}

function refusalOf(problem: Problem, status: number): Error {
  const code = Object.keys(errorCodes).find((known): known is StewardError["code"] => known === problem.code);
  if (code !== undefined) return new AgentRefusal(code, problem);
  // A newer agent may have codes that this program does not know: the status gives their kind.
  const exits: Readonly<Record<number, number>> = { 401: 4, 403: 4, 404: 3, 409: 5, 412: 5, 429: 7 };
  return new CommandError(exits[status] ?? (status < 500 ? 6 : 1), `${problem.detail} (${problem.code})`);
}

function isProblem(value: unknown): value is Problem {
  if (typeof value !== "object" || value === null || !("code" in value) || !("detail" in value)) return false;
  return typeof value.code === "string" && typeof value.detail === "string";
}
