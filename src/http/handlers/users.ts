import type { Sessions } from "../../auth/sessions.ts";
import type { SetupToken } from "../../auth/setup-token.ts";
import type { User } from "../../contract/types.ts";
import { StewardError } from "../../errors.ts";
import type { Accounts } from "../../users/accounts.ts";
import { type Handlers, roleOf } from "../call.ts";

type UserHandlers = Pick<
  Handlers,
  | "listUsers"
  | "createUser"
  | "getUser"
  | "updateUser"
  | "deleteUser"
  | "resetPassword"
  | "unlockUser"
  | "endUserSessions"
>;

export interface UserHandlersOptions {
  accounts: Accounts;
  sessions: Sessions;
  setupToken: SetupToken;
}

/** Accounts, and what a change of one means for its sessions and for the setup token. */
export function createUserHandlers({ accounts, sessions, setupToken }: UserHandlersOptions): UserHandlers {
  const afterChange = async (user: User): Promise<void> => {
    if (!user.enabled) await sessions.endAll(user.id);
    if (user.role === "admin" && accounts.hasAdministrator()) await setupToken.remove();
  };
  return {
    listUsers: ({ query }) => accounts.list(query),
    createUser: async ({ body, source }) => {
      const created = await accounts.create(body, source);
      await afterChange(created.user);
      return withInitialPassword(created);
    },
    getUser: ({ params }) => accounts.get(params.id),
    updateUser: async ({ params, body, actor, ifMatch }) => {
      if (roleOf(actor) !== "admin" && (body.role !== undefined || body.enabled !== undefined)) {
        throw new StewardError(
          "forbidden",
          "You may change your own display name only. Nothing was changed.",
        );
      }
      const user = await accounts.update(params.id, body, ifMatch);
      await afterChange(user);
      return user;
    },
    deleteUser: async ({ params, ifMatch }) => {
      await accounts.remove(params.id, ifMatch);
      await sessions.endAll(params.id);
      return undefined;
    },
    resetPassword: async ({ params, body, source }) => {
      const result = await accounts.setPassword(params.id, body.password, source);
      await sessions.endAll(params.id);
      return withInitialPassword(result);
    },
    // Nothing locks an account yet, so there is nothing to end: the user as he is.
    unlockUser: ({ params }) => accounts.get(params.id),
    endUserSessions: async ({ params }) => {
      await sessions.endAll(accounts.get(params.id).id);
      return undefined;
    },
  };
}

function withInitialPassword({ user, initialPassword }: Awaited<ReturnType<Accounts["create"]>>) {
  return initialPassword === undefined ? user : { ...user, initial_password: initialPassword };
}
