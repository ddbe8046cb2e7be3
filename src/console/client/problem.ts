import type { Problem } from "../../contract/types.ts";

/** The agent refused: RFC 9457's document says why, in `problem`. */
export class ProblemError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

/** The agent did not answer; whether it did what it was asked is not known. */
export class Unreachable extends Error {}

/** It was not sent, for the agent does not answer; what was to be done is to be asked for again. */
export class Unsent extends Unreachable {}

/** The person has cancelled the action, such as by closing the question for the password. */
export class Cancelled extends Error {}

/** The code of a refusal; null: it was none. */
export function codeOf(error: unknown): string | null {
  return error instanceof ProblemError ? error.problem.code : null;
}

/** The problem in an answer; an answer that has none, from something in between, becomes one. */
export async function readProblem(response: Response): Promise<Problem> {
  const isProblem = response.headers.get("content-type")?.startsWith("application/problem+json") ?? false;
  if (isProblem) return (await response.json()) as Problem;
  return {
    type: "about:blank",
    title: response.statusText,
    status: response.status,
    detail: `HTTP ${response.status}`,
    code: "unknown",
    request_id: response.headers.get("x-request-id") ?? "",
  };
}
