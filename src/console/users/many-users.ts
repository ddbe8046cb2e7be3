import { roleNames } from "../../contract/shapes.ts";
import type { Role, User } from "../../contract/types.ts";
import { call } from "../client/call.ts";
import { oneByOne } from "./one-by-one.ts";

export const manyActions = [
  ...(["endSessions", "requirePassword", "unlock"] as const),
  ...roleNames.map((role) => `role-${role}` as const),
  ...(["enable", "disable", "delete"] as const),
];

export type ManyAction = (typeof manyActions)[number];

/** The outcome for one user; `waiting`: it was not their turn yet. */
export type Outcome = "waiting" | "done" | { readonly error: unknown };

export type Outcomes = ReadonlyMap<string, Outcome>;

/** Does it to one after another, and tells how far it is. */
export async function actOnMany(
  action: ManyAction,
  users: readonly User[],
  signal: AbortSignal,
  onProgress: (outcomes: Outcomes) => void,
): Promise<Outcomes> {
  const outcomes = new Map<string, Outcome>(users.map(({ id }) => [id, "waiting"]));
  const work = ({ id }: User) => act(action, id);
  await oneByOne(users, work, signal, ({ id }, end) => {
    outcomes.set(id, "error" in end ? end : "done");
    onProgress(new Map(outcomes));
  });
  return outcomes;
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
