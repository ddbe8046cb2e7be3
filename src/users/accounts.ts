import type { Role, User, UserList, UserQuery } from "../contract/types.ts";
import { StewardError } from "../errors.ts";
import type { Document } from "../store/document.ts";
import { createLookUp } from "../store/look-up.ts";
import { type Account, type AccountsState, newUserId, type PasswordState, toUser } from "./account.ts";
import {
  inState,
  isEnabledAdministrator,
  keepingAnAdministrator,
  replaced,
  withNew,
} from "./accounts-state.ts";
import { listUsers } from "./listing.ts";
import { makeInitialPassword, type Passwords, type Source } from "./passwords.ts";

/** Called with the user as he is just before a change; throws to stop it (If-Match). */
export type Precondition = (present: User) => void;

export interface NewAccount {
  username: string;
  role: Role;
  /** Absent: a one-use initial password is made. */
  password?: string | undefined;
  display_name?: string | undefined;
  enabled?: boolean | undefined;
}

export interface AccountChange {
  display_name?: string | undefined;
  role?: Role | undefined;
  enabled?: boolean | undefined;
}

/** A user, and the password that was made for him, if one was. */
export interface WithInitialPassword {
  user: User;
  initialPassword: string | undefined;
}

/** The people who may use this device. At least one enabled administrator remains, once there has been one. */
export interface Accounts {
  hasAdministrator(): boolean;
  list(query: UserQuery): UserList;
  /** Throws `not_found`. */
  get(id: string): User;
  find(id: string): Account | undefined;
  findByName(username: string): Account | undefined;
  /** Throws `username_taken` and what the rules say of the password. */
  create(input: NewAccount, source: Source): Promise<WithInitialPassword>;
  /** As create, but only while there is no administrator: else `setup_already_done`. `passwordHash` is a PHC string. */
  createFirst(
    username: string,
    password: { plain: string; source: Source } | { hash: string },
  ): Promise<User>;
  /** Throws `not_found`, `last_admin`, and what `precondition` throws. */
  update(id: string, change: AccountChange, precondition?: Precondition): Promise<User>;
  /** Throws `not_found`, `last_admin`. */
  remove(id: string, precondition?: Precondition): Promise<void>;
  /** `undefined` makes a one-use initial password. */
  setPassword(id: string, password: string | undefined, source: Source): Promise<WithInitialPassword>;
  /** Notes a sign-in: when it was, and that an initial password is spent. */
  signedIn(id: string, rehashed: string | undefined): Promise<void>;
}

export interface AccountsOptions {
  document: Document<AccountsState>;
  passwords: Passwords;
  /** Throws when the password must not be used by `username`. */
  checkPassword: (password: string, username: string) => Promise<void>;
  now: () => Date;
}

/** How long a time of last sign-in may be in memory alone; it is not worth a write of its own. */
const lastLoginDelaySeconds = 15 * 60;

export function createAccounts(options: AccountsOptions): Accounts {
  const { document } = options;
  const all = () => document.read().accounts;
  const find = createLookUp(all, ({ id }) => id);
  const findByName = createLookUp(all, ({ username }) => username);
  let hasAdministrator = false;
  const present = (id: string): Account => {
    const account = find(id);
    if (!account) throw new StewardError("not_found", "There is no user with this id.");
    return account;
  };
  return {
    hasAdministrator: () => {
      // Once there is one there always is: no change may take the last away.
      hasAdministrator ||= all().some(isEnabledAdministrator);
      return hasAdministrator;
    },
    list: (query) => listUsers(all().map(toUser), query),
    get: (id) => toUser(present(id)),
    find,
    findByName,
    create: (input, source) => create(options, input, source),
    createFirst: (username, password) => createFirst(options, username, password),
    update: async (id, change, precondition) =>
      toUser(
        await changeOne(
          options,
          present(id).id,
          (account) => ({ ...account, ...defined(change) }),
          precondition,
        ),
      ),
    remove: async (id, precondition) => {
      present(id);
      await document.update((state) => {
        const account = inState(state, id);
        precondition?.(toUser(account));
        return keepingAnAdministrator(state, { accounts: state.accounts.filter((other) => other.id !== id) });
      });
    },
    setPassword: (id, password, source) => setPassword(options, present(id), password, source),
    signedIn: (id, rehashed) => noteSignIn(options, id, rehashed),
  };
}

async function create(
  options: AccountsOptions,
  input: NewAccount,
  source: Source,
): Promise<WithInitialPassword> {
  const { credentials, initialPassword } = await newCredentials(
    options,
    input.username,
    input.password,
    source,
  );
  const account = newAccount(options, { ...input, ...credentials });
  await options.document.update((state) => withNew(state, account));
  return { user: toUser(account), initialPassword };
}

async function createFirst(
  options: AccountsOptions,
  username: string,
  password: { plain: string; source: Source } | { hash: string },
): Promise<User> {
  const refuse = (state: AccountsState): void => {
    if (!state.accounts.some(isEnabledAdministrator)) return;
    throw new StewardError(
      "setup_already_done",
      "This device has an administrator already. Sign in instead.",
    );
  };
  refuse(options.document.read());
  const credentials =
    "hash" in password
      ? { password_hash: password.hash, password_state: "chosen" as const }
      : (await newCredentials(options, username, password.plain, password.source)).credentials;
  const account = newAccount(options, { username, role: "admin", ...credentials });
  await options.document.update((state) => {
    refuse(state);
    return withNew(state, account);
  });
  return toUser(account);
}

async function setPassword(
  options: AccountsOptions,
  account: Account,
  password: string | undefined,
  source: Source,
): Promise<WithInitialPassword> {
  const { credentials, initialPassword } = await newCredentials(options, account.username, password, source);
  const changed = await changeOne(options, account.id, (present) => ({ ...present, ...credentials }));
  return { user: toUser(changed), initialPassword };
}

interface Credentials {
  password_hash: string;
  password_state: PasswordState;
}

async function newCredentials(
  options: AccountsOptions,
  username: string,
  password: string | undefined,
  source: Source,
): Promise<{ credentials: Credentials; initialPassword: string | undefined }> {
  if (password !== undefined) {
    await options.checkPassword(password, username);
    const password_hash = await options.passwords.hash(password, source);
    return { credentials: { password_hash, password_state: "chosen" }, initialPassword: undefined };
  }
  const initialPassword = makeInitialPassword();
  const password_hash = await options.passwords.hash(initialPassword, source);
  return { credentials: { password_hash, password_state: "initial" }, initialPassword };
}

function newAccount(options: AccountsOptions, input: NewAccount & Credentials): Account {
  const now = options.now().toISOString();
  return {
    id: newUserId(),
    username: input.username,
    display_name: input.display_name ?? "",
    role: input.role,
    enabled: input.enabled ?? true,
    password_hash: input.password_hash,
    password_state: input.password_state,
    last_login_at: null,
    created_at: now,
    updated_at: now,
  };
}

async function changeOne(
  options: AccountsOptions,
  id: string,
  change: (account: Account) => Account,
  precondition?: Precondition,
): Promise<Account> {
  const updated_at = options.now().toISOString();
  const state = await options.document.update((current) => {
    const account = inState(current, id);
    precondition?.(toUser(account));
    return keepingAnAdministrator(current, replaced(current, { ...change(account), updated_at }));
  });
  return inState(state, id);
}

async function noteSignIn(options: AccountsOptions, id: string, rehashed: string | undefined): Promise<void> {
  const last_login_at = options.now().toISOString();
  const change = (state: AccountsState): AccountsState => {
    const account = state.accounts.find((candidate) => candidate.id === id);
    if (!account) return state;
    const password_state = account.password_state === "initial" ? "spent" : account.password_state;
    const password_hash = rehashed ?? account.password_hash;
    return replaced(state, { ...account, last_login_at, password_state, password_hash });
  };
  const isInitial =
    options.document.read().accounts.find(({ id: other }) => other === id)?.password_state === "initial";
  // A full disk must not keep anyone out: then the spent password is remembered in memory, and written when it can be.
  options.document.note(change, isInitial ? 0 : lastLoginDelaySeconds);
}

function defined(change: AccountChange): Partial<Account> {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
}
