import type { Status, Updates } from "../../contract/types.ts";
import { type Actor, type Handlers, roleOf } from "../call.ts";
import { coveredFor, viewOf } from "./updates.ts";

export interface StatusHandlersOptions {
  updates: { status(): Updates };
  /** The device at one look, with updates as the caller may see them, and names of users where that is allowed. */
  status: (updates: Updates, mayNameUsers: boolean) => Promise<Status>;
}

/** The device at one look. */
export function createStatusHandlers({
  updates,
  status,
}: StatusHandlersOptions): Pick<Handlers, "getStatus"> {
  return {
    getStatus: async ({ actor }) => {
      const whole = updates.status();
      const answer = await status(viewOf(whole, actor), mayNameUsers(actor));
      const cover = coveredFor(whole, actor);
      return { ...answer, needs: answer.needs.map((need) => ({ ...need, sentence: cover(need.sentence) })) };
    },
  };
}

/** As `listUsers` has it: administrators, and their tokens that may read users. */
function mayNameUsers(actor: Actor): boolean {
  return roleOf(actor) === "admin" && (actor.kind !== "token" || actor.token.scopes.includes("users:read"));
}
