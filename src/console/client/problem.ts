import type { Problem } from "../../contract/types.ts";

/** The agent refused: RFC 9457's document says why, in `problem`. */
export class ProblemError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

/** The agent did not answer, or something in between did. */
export class Unreachable extends Error {
  /** True: whether it did what it was asked is not known. */
  readonly isWrite: boolean;
  /** True: something else has answered, or has cut the answer short. */
  readonly isForeign: boolean;

  constructor(isWrite: boolean, isForeign = false, cause?: unknown) {
    super("no answer of the agent", { cause });
    this.isWrite = isWrite;
    this.isForeign = isForeign;
  }
}

/** It was not sent, for the agent does not answer; what was to be done is to be asked for again. */
export class Unsent extends Unreachable {
  constructor() {
    super(false);
  }
}

/** A failure that the page explains; its cause has the browser's own words. */
export class Fault extends Error {
  /** undefined: they could not be loaded. */
  readonly words: () => { readonly title: string; readonly text: string } | undefined;

  constructor(words: Fault["words"], cause: unknown) {
    super("a fault that is explained", { cause });
    this.words = words;
  }
}

/** The person has cancelled the action, such as by closing the question for the password. */
export class Cancelled extends Error {}

/** The code of a refusal; null: it was none. */
export function codeOf(error: unknown): string | null {
  return error instanceof ProblemError ? error.problem.code : null;
}

/** True: the agent has given this answer. It names each one, and says what it refuses as RFC 9457 has it. */
export function isAgents({ ok, headers }: Response): boolean {
  if (!headers.has("x-request-id")) return false;
  return ok || (headers.get("content-type")?.startsWith("application/problem+json") ?? false);
}
