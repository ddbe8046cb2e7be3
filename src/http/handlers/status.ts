import type { Health, Status, Updates } from "../../contract/types.ts";
import { type Actor, type Handlers, roleOf } from "../call.ts";
import { coveredFor, viewOf } from "./updates.ts";

type StatusHandlers = Pick<Handlers, "getHealth" | "getReadiness" | "getStatus">;

export interface StatusHandlersOptions {
  updates: { status(): Updates };
  /** `isDetailed` for callers who are known. */
  health: (isDetailed: boolean) => Health;
  /** Throws `not_ready`. */
  requireReady: (isDetailed: boolean) => Promise<void>;
  /** The summary of the device, with updates as the caller may see them, and names of users where that is allowed. */
  status: (updates: Updates, mayNameUsers: boolean) => Promise<Status>;
}

/** Health, readiness and the status of the device. */
export function createStatusHandlers(options: StatusHandlersOptions): StatusHandlers {
  const { updates } = options;
  const healthFor = (actor: Actor): Health => {
    const health = options.health(actor.kind !== "anonymous");
    if (roleOf(actor) !== "readonly" || health.checks === undefined) return health;
    const cover = coveredFor(updates.status(), actor);
    return { ...health, checks: health.checks.map((check) => ({ ...check, detail: cover(check.detail) })) };
  };
  return {
    getHealth: ({ actor }) => healthFor(actor),
    getReadiness: async ({ actor }) => {
      await options.requireReady(actor.kind !== "anonymous");
      return healthFor(actor);
    },
    getStatus: async ({ actor }) => {
      const whole = updates.status();
      const answer = await options.status(viewOf(whole, actor), mayNameUsers(actor));
      const cover = coveredFor(whole, actor);
      return { ...answer, needs: answer.needs.map((need) => ({ ...need, detail: cover(need.detail) })) };
    },
  };
}

/** The same as for `listUsers`: administrators, and their tokens that may read users. */
function mayNameUsers(actor: Actor): boolean {
  return roleOf(actor) === "admin" && (actor.kind !== "token" || actor.token.scopes.includes("users:read"));
}
