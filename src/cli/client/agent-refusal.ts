import type { InputError, StewardError } from "../../contract/errors.ts";
import type { ProblemClock } from "../../contract/types.ts";
import { DocumentedRefusal } from "../../terminal/failure.ts";

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
export class AgentRefusal extends DocumentedRefusal {
  constructor(code: StewardError["code"], problem: Problem) {
    super(code, problem, {
      ...(problem.reason === undefined ? {} : { reason: problem.reason }),
      ...(problem.errors === undefined ? {} : { errors: problem.errors }),
      ...(problem.clock === undefined ? {} : { clock: problem.clock }),
      ...(problem.challenge_token === undefined ? {} : { challengeToken: problem.challenge_token }),
      ...(problem.retry_after === undefined ? {} : { retryAfterSeconds: problem.retry_after }),
    });
    this.name = "AgentRefusal";
  }
}
