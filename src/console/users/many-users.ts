import { roleNames } from "../../contract/shapes.ts";
import type { Role } from "../../contract/types.ts";
import type { t } from "../catalogue/words.ts";
import { call } from "../client/call.ts";

export const manyActions = [
  ...(["endSessions", "requirePassword", "unlock"] as const),
  ...roleNames.map((role) => `role-${role}` as const),
  ...(["enable", "disable", "delete"] as const),
];

export type ManyAction = (typeof manyActions)[number];

export type ActionName = keyof typeof t.users.actions;

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
