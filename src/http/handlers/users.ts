import type { Sessions } from "../../auth/sessions.ts";
import type { SetupToken } from "../../auth/setup-token.ts";
import type { User } from "../../contract/types.ts";
import { StewardError } from "../../errors.ts";
import type { EventSubject } from "../../journal/event.ts";
import type { Accounts } from "../../users/accounts.ts";
import { type Call, type Handlers, roleOf } from "../call.ts";

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
    createUser: async ({ body, source, note }) => {
      const created = await accounts.create(body, source);
      await afterChange(created.user);
      const { role, enabled } = created.user;
      note({
        subject: subjectOf(created.user),
        details: { role, enabled, has_initial_password: created.initialPassword !== undefined },
      });
      return withInitialPassword(created);
    },
    getUser: ({ params }) => accounts.get(params.id),
    updateUser: async (call) => {
      const user = await updateUser(accounts, call);
      await afterChange(user);
      return user;
    },
    deleteUser: async ({ params, ifMatch, note }) => {
      const user = accounts.get(params.id);
      note({ subject: subjectOf(user), details: { role: user.role } });
      await accounts.remove(params.id, ifMatch);
      await sessions.endAll(params.id);
      return undefined;
    },
    resetPassword: async ({ params, body, source, note }) => {
      const result = await accounts.setPassword(params.id, body.password, source);
      note({
        subject: subjectOf(result.user),
        details: { has_initial_password: result.initialPassword !== undefined },
      });
      await sessions.endAll(params.id);
      return withInitialPassword(result);
    },
    // Nothing locks an account yet, so there is nothing to end: the user as he is.
    unlockUser: ({ params, note }) => {
      note({ isUnchanged: true });
      return accounts.get(params.id);
    },
    endUserSessions: async ({ params, note }) => {
      const user = accounts.get(params.id);
      note({ subject: subjectOf(user), details: { sessions: sessions.list(user.id).length } });
      await sessions.endAll(user.id);
      return undefined;
    },
  };
}

async function updateUser(accounts: Accounts, call: Call<"updateUser">): Promise<User> {
  const { params, body, actor, ifMatch, note } = call;
  if (roleOf(actor) !== "admin" && (body.role !== undefined || body.enabled !== undefined)) {
    throw new StewardError("forbidden", "You may change your own display name only. Nothing was changed.");
  }
  let before = accounts.get(params.id);
  const user = await accounts.update(params.id, body, (present) => {
    before = present;
    ifMatch(present);
  });
  const details = changesOf(before, user);
  note({ subject: subjectOf(user), details, isUnchanged: Object.keys(details).length === 0 });
  return user;
}

function subjectOf({ id, username }: User): EventSubject {
  return { id, name: username };
}

/** What of a user was changed; of a name that people read, only that it was. */
function changesOf(before: User, after: User): Record<string, string | boolean> {
  return {
    ...(after.role !== before.role && { role: after.role, role_before: before.role }),
    ...(after.enabled !== before.enabled && { enabled: after.enabled }),
    ...(after.display_name !== before.display_name && { display_name_changed: true }),
  };
}

function withInitialPassword({ user, initialPassword }: Awaited<ReturnType<Accounts["create"]>>) {
  return initialPassword === undefined ? user : { ...user, initial_password: initialPassword };
}
