import type { ApiTokens } from "../../accounts/tokens/api-tokens.ts";
import type { Accounts, Precondition } from "../../accounts/users/accounts.ts";
import type { NewAccount } from "../../accounts/users/new-account.ts";
import { StewardError } from "../../contract/errors.ts";
import { admins } from "../../contract/operations/operation.ts";
import type { userOperations } from "../../contract/operations/users.ts";
import type { Output, User } from "../../contract/types.ts";
import type { EventDetails } from "../../journal/events/event.ts";
import { authorise } from "../authorise.ts";
import { type Actor, type Call, type EventNote, form, type HandlersOf } from "../call.ts";
import type { AccountRooms } from "./account-rooms.ts";

type UserRooms = Pick<
  AccountRooms,
  "accounts" | "sessions" | "apiTokens" | "setupToken" | "throttle" | "enrolment" | "forget"
>;

/** Handles accounts; a change of one may end its sessions, or remove the setup token. */
export function createUserHandlers(options: UserRooms): HandlersOf<typeof userOperations> {
  const { accounts, sessions, throttle } = options;
  const afterChange = (user: User) => applyChange(options, user);
  return {
    listUsers: ({ query }) => accounts.list(query),
    createUser: form(
      (call: Call<"createUser">) => createUser(options, call),
      (sound: Partial<NewAccount>) => accounts.faultsOf(sound),
    ),
    getUser: ({ params }) => accounts.get(params.id),
    updateUser: async (call) => {
      const user = await updateUser(accounts, call);
      await afterChange(user);
      return user;
    },
    deleteUser: async ({ params, actor, ifMatch, note }) => {
      const user = accounts.get(params.id);
      note(about(user, { role: user.role }));
      await accounts.remove(params.id, (present) => {
        refuseProgram(actor, present);
        ifMatch(present);
      });
      await sessions.endAll(params.id);
      await options.forget(user);
      return undefined;
    },
    resetPassword: (call) => resetPassword(options, call),
    unlockUser: ({ params, actor, note }) => {
      const user = accounts.get(params.id);
      refuseProgram(actor, user);
      note(about(user, { was_locked: user.locked !== null }));
      throttle.unlock(user.username);
      return accounts.get(params.id);
    },
    rescueUser: (call) => rescueUser(options, call),
    endUserSessions: async ({ params, actor, note }) => {
      const user = accounts.get(params.id);
      refuseProgram(actor, user);
      note(about(user, { sessions: sessions.list(user.id).length, tokens_left: user.tokens }));
      await sessions.endAll(user.id);
      return undefined;
    },
  };
}

async function createUser(
  options: UserRooms,
  { body, actor, context, note }: Call<"createUser">,
): Promise<Output<"createUser">> {
  refuseProgram(actor, body);
  const created = await options.accounts.create(body, context.clientKey);
  const { user } = created;
  const { role, enabled } = user;
  note(about(user, { role, enabled, has_initial_password: created.initialPassword !== undefined }));
  await applyChange(options, user);
  return withInitialPassword(created);
}

async function applyChange({ accounts, sessions, setupToken }: UserRooms, user: User): Promise<void> {
  if (!user.enabled) await sessions.endAll(user.id);
  if (user.role === "admin" && accounts.hasAdministrator()) await setupToken.remove();
}

async function updateUser(accounts: Accounts, call: Call<"updateUser">): Promise<User> {
  const { params, body, actor, ifMatch, note } = call;
  // Users may change only their own display name.
  if (Object.keys(body).some((member) => member !== "display_name")) {
    authorise({ access: admins, stepUp: true, scope: "users:write" }, actor, params);
  }
  let before = accounts.get(params.id);
  const precondition: Precondition = (present) => {
    before = present;
    refuseProgram(actor, present);
    refuseProgram(actor, { ...present, ...body });
    ifMatch(present);
  };
  const isByRoot = actor.kind === "local-root";
  const user = await accounts.update(params.id, body, { precondition, isByRoot });
  const details = changesOf(before, user);
  note({ ...about(user, details), isUnchanged: Object.keys(details).length === 0 });
  return user;
}

async function resetPassword(
  options: UserRooms,
  { params, body, actor, context, note }: Call<"resetPassword">,
): Promise<Output<"resetPassword">> {
  const { accounts, sessions } = options;
  refuseProgram(actor, accounts.get(params.id));
  // Checked again after the password is hashed: the account may be an administrator's by then.
  const precondition: Precondition = (present) => refuseProgram(actor, present);
  const { password } = body;
  const result = await accounts.setPassword(params.id, password, context.clientKey, {
    precondition,
    isByRoot: actor.kind === "local-root",
  });
  const has_initial_password = result.initialPassword !== undefined;
  const facts = { role: result.user.role, has_initial_password };
  note(about(result.user, facts));
  await sessions.endAll(params.id);
  const ended = await options.apiTokens.endAll(params.id, body.keep_tokens);
  note(about(result.user, { ...facts, ...ended }));
  const user = accounts.asNow(result.user);
  return { ...withInitialPassword({ ...result, user }), tokens_ended: ended.tokens_ended };
}

/** Removes all that may keep a user out, in one change. For local root it works even if the disk takes no writes. */
async function rescueUser(
  options: UserRooms,
  { params, body, actor, context, note }: Call<"rescueUser">,
): Promise<Output<"rescueUser">> {
  const { accounts } = options;
  const { enabled, locked, two_factor } = accounts.get(params.id);
  const maker = actor.kind === "local-root" ? "local-root" : "other";
  const {
    user,
    initialPassword = "",
    isHeld,
  } = await accounts.rescue(params.id, undefined, context.clientKey, maker);
  const before = { was_enabled: enabled, was_locked: locked !== null, had_two_factor: two_factor.enabled };
  const facts = { ...before, ...(isHeld && { held_in_memory: true }) };
  note(about(user, facts));
  const ended = await endAccess(options, user, body.keep_tokens);
  note(about(user, { ...facts, ...ended }));
  await applyChange(options, user);
  const { tokens_ended } = ended;
  const rescued = { ...accounts.asNow(user), initial_password: initialPassword, tokens_ended };
  return isHeld ? { ...rescued, held_in_memory: true } : rescued;
}

/** Ends locks, a begun enrolment, sessions and API tokens of a user who gets other credentials. Counts the tokens. */
export async function endAccess(
  {
    throttle,
    enrolment,
    sessions,
    apiTokens,
  }: Pick<AccountRooms, "throttle" | "enrolment" | "sessions" | "apiTokens">,
  user: User,
  keepsTokens?: boolean,
): ReturnType<ApiTokens["endAll"]> {
  throttle.unlock(user.username);
  enrolment.forget(user);
  await sessions.endAll(user.id);
  return apiTokens.endAll(user.id, keepsTokens);
}

/**
 * Refuses a fleet's program that changes or makes an administrator, its own owner included: a person who can sign in as
 * an administrator can do all that API tokens may not, such as confirm a root of trust. Root does it, by `steward
 * apply`.
 */
function refuseProgram(actor: Actor, { role }: Pick<User, "role">): void {
  if (actor.kind !== "token" || role !== "admin") return;
  throw new StewardError(
    "token_not_allowed",
    "API tokens may not make, change or delete administrators, their owner among them. As root on the device: `steward apply`. Nothing was changed.",
  );
}

/** The changed members of a user; of the display name only that it changed. */
function changesOf(before: User, after: User): EventDetails {
  return {
    ...(after.role !== before.role && { role: after.role, role_before: before.role }),
    ...(after.enabled !== before.enabled && { enabled: after.enabled, tokens: after.tokens }),
    ...(after.display_name !== before.display_name && { display_name_changed: true }),
    ...(after.must_change_password && !before.must_change_password && { must_change_password: true }),
  };
}

function about({ id, username }: User, details: EventDetails = {}): EventNote {
  return { subject: { id, name: username }, details };
}

function withInitialPassword({ user, initialPassword }: Awaited<ReturnType<Accounts["create"]>>) {
  return initialPassword === undefined ? user : { ...user, initial_password: initialPassword };
}
