import type { Attempts } from "../../auth/attempts.ts";
import type { Enrolment } from "../../auth/enrolment.ts";
import type { Sessions } from "../../auth/sessions.ts";
import type { SetupToken } from "../../auth/setup-token.ts";
import { admins } from "../../contract/operation.ts";
import type { Output, User } from "../../contract/types.ts";
import type { EventDetails } from "../../journal/event.ts";
import type { Accounts } from "../../users/accounts.ts";
import { authorise } from "../authorise.ts";
import type { Call, EventNote, Handlers } from "../call.ts";

type UserHandlers = Pick<
  Handlers,
  | "listUsers"
  | "createUser"
  | "getUser"
  | "updateUser"
  | "deleteUser"
  | "resetPassword"
  | "unlockUser"
  | "rescueUser"
  | "endUserSessions"
>;

export interface UserHandlersOptions {
  accounts: Accounts;
  sessions: Sessions;
  setupToken: SetupToken;
  attempts: Attempts;
  enrolment: Enrolment;
  /** What dies with a user: tokens, used codes. */
  forget: (user: User) => Promise<void>;
}

/** Accounts, and what a change of one means for its sessions and for the setup token. */
export function createUserHandlers(options: UserHandlersOptions): UserHandlers {
  const { accounts, sessions, attempts } = options;
  const afterChange = (user: User) => applyChange(options, user);
  return {
    listUsers: ({ query }) => accounts.list(query),
    createUser: async ({ body, origin, note }) => {
      const created = await accounts.create(body, origin.source);
      const { user } = created;
      const { role, enabled } = user;
      const has_initial_password = created.initialPassword !== undefined;
      note(about(user, { role, enabled, has_initial_password }));
      await afterChange(user);
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
      note(about(user, { role: user.role }));
      await accounts.remove(params.id, ifMatch);
      await sessions.endAll(params.id);
      await options.forget(user);
      return undefined;
    },
    resetPassword: async ({ params, body, origin, note }) => {
      const result = await accounts.setPassword(params.id, body.password, origin.source);
      note(about(result.user, { has_initial_password: result.initialPassword !== undefined }));
      await sessions.endAll(params.id);
      return withInitialPassword(result);
    },
    unlockUser: ({ params, note }) => {
      const user = accounts.get(params.id);
      note(about(user, { was_locked: user.locked !== null }));
      attempts.unlock(user.username);
      return accounts.get(params.id);
    },
    rescueUser: (call) => rescueUser(options, call),
    endUserSessions: async ({ params, note }) => {
      const user = accounts.get(params.id);
      note(about(user, { sessions: sessions.list(user.id).length }));
      await sessions.endAll(user.id);
      return undefined;
    },
  };
}

async function applyChange(
  { accounts, sessions, setupToken }: UserHandlersOptions,
  user: User,
): Promise<void> {
  if (!user.enabled) await sessions.endAll(user.id);
  if (user.role === "admin" && accounts.hasAdministrator()) await setupToken.remove();
}

async function updateUser(accounts: Accounts, call: Call<"updateUser">): Promise<User> {
  const { params, body, actor, ifMatch, note } = call;
  // His display name is a user's own to change, the rest is not.
  if (body.role !== undefined || body.enabled !== undefined) {
    authorise({ access: admins, stepUp: true }, actor, params);
  }
  let before = accounts.get(params.id);
  const user = await accounts.update(params.id, body, (present) => {
    before = present;
    ifMatch(present);
  });
  const details = changesOf(before, user);
  note({ ...about(user, details), isUnchanged: Object.keys(details).length === 0 });
  return user;
}

/** All that may keep a user out, in one change; local root's is not kept back by a disk that takes no write. */
async function rescueUser(
  options: UserHandlersOptions,
  { params, actor, origin, note }: Call<"rescueUser">,
): Promise<Output<"rescueUser">> {
  const { accounts, attempts, enrolment, sessions } = options;
  const { enabled, locked, two_factor } = accounts.get(params.id);
  const maker = actor.kind === "local-root" ? "local-root" : "other";
  const { user, initialPassword = "", isHeld } = await accounts.rescue(params.id, origin.source, maker);
  const before = { was_enabled: enabled, was_locked: locked !== null, had_two_factor: two_factor.enabled };
  note(about(user, { ...before, ...(isHeld && { held_in_memory: true }) }));
  attempts.unlock(user.username);
  enrolment.forget(user);
  await sessions.endAll(user.id);
  await applyChange(options, user);
  const rescued = { ...accounts.get(user.id), initial_password: initialPassword };
  return isHeld ? { ...rescued, held_in_memory: true } : rescued;
}

/** What of a user was changed; of a name that people read, only that it was. */
function changesOf(before: User, after: User): Record<string, string | boolean> {
  return {
    ...(after.role !== before.role && { role: after.role, role_before: before.role }),
    ...(after.enabled !== before.enabled && { enabled: after.enabled }),
    ...(after.display_name !== before.display_name && { display_name_changed: true }),
  };
}

function about({ id, username }: User, details: EventDetails = {}): EventNote {
  return { subject: { id, name: username }, details };
}

function withInitialPassword({ user, initialPassword }: Awaited<ReturnType<Accounts["create"]>>) {
  return initialPassword === undefined ? user : { ...user, initial_password: initialPassword };
}
