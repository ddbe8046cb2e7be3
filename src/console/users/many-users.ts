import type { Role, User } from "../../contract/types.ts";
import { call } from "../client/call.ts";
import { Cancelled, ProblemError } from "../client/problem.ts";

/** Actions for several users at once. */
export type ManyAction =
  | "endSessions"
  | "requirePassword"
  | "unlock"
  | "disable"
  | "enable"
  | "delete"
  | `role-${Role}`;

/** The outcome for one user; `waiting`: it was not their turn yet. */
export type Outcome = "waiting" | "done" | { readonly error: unknown };

export type Outcomes = ReadonlyMap<string, Outcome>;

/** Seconds to wait where the agent does not say how long. */
const usualWaitSeconds = 5;

/** Does it to one after another, and tells how far it is; those that fail do not stop the others. */
export async function actOnMany(
  action: ManyAction,
  users: readonly User[],
  { onProgress, signal }: { readonly onProgress: (outcomes: Outcomes) => void; readonly signal: AbortSignal },
): Promise<Outcomes> {
  const outcomes = new Map<string, Outcome>(users.map(({ id }) => [id, "waiting"]));
  for (const { id } of users) {
    if (signal.aborted) break;
    try {
      await patiently(() => act(action, id), signal);
      outcomes.set(id, "done");
    } catch (error) {
      // The question for the password was closed: the rest would ask it again.
      if (error instanceof Cancelled) break;
      outcomes.set(id, { error });
    }
    onProgress(new Map(outcomes));
  }
  return outcomes;
}

/** Waits as long as the agent says where there are too many requests. */
async function patiently(work: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
  for (;;) {
    try {
      return void (await work());
    } catch (error) {
      const problem = error instanceof ProblemError ? error.problem : null;
      if (problem?.code !== "rate_limited" || signal.aborted) throw error;
      const seconds = problem.retry_after ?? usualWaitSeconds;
      await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
    }
  }
}

/** Does it to one user. `reason` is kept with the removal of a second factor. */
export function act(action: ManyAction | "resetTwoFactor", id: string, reason = ""): Promise<unknown> {
  const params = { id };
  switch (action) {
    case "endSessions":
      return call("endUserSessions", { params });
    case "requirePassword":
      return call("updateUser", { params, body: { must_change_password: true } });
    case "unlock":
      return call("unlockUser", { params });
    case "resetTwoFactor":
      return call("recoverTwoFactor", { params, body: { reason } });
    case "disable":
    case "enable":
      return call("updateUser", { params, body: { enabled: action === "enable" } });
    case "delete":
      return call("deleteUser", { params });
    default:
      return call("updateUser", { params, body: { role: action.slice("role-".length) as Role } });
  }
}
