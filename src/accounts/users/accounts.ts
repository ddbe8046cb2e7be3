import { StewardError } from "../../contract/errors.ts";
import type { Role, User } from "../../contract/types.ts";
import type { Document } from "../../store/documents/document.ts";
import { createLookUp } from "../../store/documents/look-up.ts";
import {
  type Account,
  type AccountsState,
  inState,
  type ProviderIdentity,
  type StoredFactor,
  toUser,
  withNew,
} from "./account.ts";
import { notePasskeyUse, noteSignIn, type PasskeyUse, spendRecoveryCode } from "./account-notes.ts";
import { type ChangeAccount, createAccountWriter, type Maker } from "./account-writer.ts";
import {
  administratorTrouble,
  isEnabledAdministrator,
  keepingAnAdministrator,
  type SignInFacts,
  shutOut,
} from "./administrators.ts";
import { createUserList } from "./list-users.ts";
import {
  type CheckPassword,
  create,
  type NewAccount,
  newAccount,
  newAccountFaults,
  newCredentials,
} from "./new-account.ts";
import type { ClientKey, Passwords } from "./passwords.ts";
import {
  keepProviderAccount,
  ofIdentity,
  originOf,
  type ProviderAccount,
  refuseOfProvider,
} from "./provider-account.ts";

/** Called with the stored user just before a change; throws to prevent it (If-Match). */
export type Precondition = (present: User) => void;

interface AccountChange {
  display_name?: string | undefined;
  role?: Role | undefined;
  enabled?: boolean | undefined;
  /** The password works for one more sign-in, at which the user chooses another one. */
  must_change_password?: true | undefined;
}

interface WithInitialPassword {
  user: User;
  initialPassword: string | undefined;
}

/** The people who may use this device. No change takes the last administrator away, or shuts them out. */
export type Accounts = ReturnType<typeof createAccounts>;

type FactorChange = (present: StoredFactor | null) => StoredFactor | null;

/** `isByRoot`: it may leave the last administrator a one-use password, as root can make another. */
interface ChangeOptions {
  readonly precondition?: Precondition;
  readonly isByRoot?: boolean;
}

type PasswordChange = ChangeOptions & { readonly maker?: Maker };

interface AccountsOptions extends SignInFacts {
  document: Document<AccountsState>;
  passwords: Passwords;
  checkPassword: CheckPassword;
  /** The locks that prevent this user from signing in for a while. */
  lockOf: (username: string) => User["locked"];
  /** False: `lockOf` gives none for any user. */
  hasLocks: () => boolean;
  /** Gives the number of API tokens of the user with this id that have not expired now. */
  countTokens: () => (id: string) => number;
  /** The issuer that the host file names; null: it names none. */
  issuer: string | null;
  now: () => Date;
  /** The process ends with one command, so a change held in memory would be lost at once. */
  forOneCommand?: boolean | undefined;
}

interface Parts extends AccountsOptions {
  changeAccount: ChangeAccount;
}

export function createAccounts(given: AccountsOptions) {
  const { document } = given;
  const options = { ...given, changeAccount: createAccountWriter(given) };
  const view = (account: Account): User => viewOf(options, account);
  const all = () => document.read().accounts;
  const find = createLookUp(all, ({ id }) => id);
  const present = (id: string): Account => find(id) ?? refuseUnknown();
  let hasAdministrator = false;
  return {
    /** True once there has been an enabled administrator of this device, whether or not they can sign in now. */
    hasAdministrator: (): boolean => {
      // Once there is one there always is: no change may take the last away.
      hasAdministrator ||= all().some(isEnabledAdministrator);
      return hasAdministrator;
    },
    list: createUserList({ ...options, all, viewer: () => viewer(options) }),
    /** All of them; another list after each change. */
    all,
    /** Throws `not_found`. */
    get: (id: string) => view(present(id)),
    find,
    findByName: createLookUp(all, ({ username }) => username),
    /** Throws `username_taken` and the errors of the password rules, both at once. */
    create: async (input: NewAccount, clientKey: ClientKey): Promise<WithInitialPassword> => {
      const { account, initialPassword } = await create(options, input, clientKey);
      return { user: view(account), initialPassword };
    },
    faultsOf: (form: Partial<NewAccount>) => newAccountFaults(options, form),
    /** Like `create`, but throws `setup_already_done` once there is an administrator. `passwordHash`: a PHC string. */
    createFirst: (named: FirstName, password: FirstPassword) => createFirst(options, named, password),
    /** The finding that no administrator can sign in; null: one can, or there is none. */
    administratorTrouble: () => administratorTrouble(all(), options),
    /** The administrators whom the change of the whole list would shut out; null: none. */
    shutOut: (before: AccountsState, after: AccountsState) => shutOut(before, after, options),
    /** Throws `not_found`, `last_admin`, and the errors of `precondition`. */
    update: (id: string, change: AccountChange, given?: ChangeOptions) =>
      update(options, present(id), change, given),
    /** Throws `not_found`, `last_admin`. */
    remove: (id: string, precondition?: Precondition) => remove(options, present(id).id, precondition),
    /** `undefined` makes a one-use initial password. Throws `last_admin`, the errors of `precondition` and of the password rules. */
    setPassword: (id: string, password: string | undefined, clientKey: ClientKey, given?: PasswordChange) =>
      setPassword(options, present(id), password, { clientKey, ...given }),
    /**
     * Enables the user, removes the second factor and sets the password, in one change; `undefined` makes a one-use
     * password. Throws `not_found`, and the errors of the password rules.
     */
    rescue: (id: string, password: string | undefined, clientKey: ClientKey, maker: Maker) =>
      rescue(options, present(id), password, { clientKey, maker }),
    /** The account of an identity at the provider, with the role from the provider. Throws `username_taken`. */
    keepProviderAccount: (given: ProviderAccount) => keepProviderAccount(options, given),
    findByIdentity: (identity: ProviderIdentity) => ofIdentity(document.read(), identity),
    /** Notes a sign-in: its time, and that an initial password is spent. */
    signedIn: (id: string, rehashed: string | undefined) => noteSignIn(document, id, options.now(), rehashed),
    /** Sets or removes the second factor. Throws `not_found`, and the errors of `change`. */
    changeFactor: async (id: string, change: FactorChange, maker?: Maker) =>
      view((await options.changeAccount(present(id).id, withFactor(change), { maker })).account),
    /** Spends a recovery code in memory first, so none is spent twice, then on disk if possible. False: it is gone. */
    spendRecoveryCode: (id: string, hash: string) => spendRecoveryCode(document, id, hash),
    /** Notes the use of a passkey; false if it is gone, or its counter has not grown. */
    passkeyUsed: (id: string, use: PasskeyUse) => notePasskeyUse(document, id, use),
    withFactor: () => all().flatMap(({ id, two_factor }) => (two_factor === null ? [] : [id])),
    view,
    /** The user as a call has made them, with the locks and API tokens of now. Another call may have removed them since. */
    asNow: (user: User) => asNow(given, user),
  };
}

function refuseUnknown(): never {
  throw new StewardError("not_found", "There is no user with this id.");
}

type FirstName = Pick<NewAccount, "username" | "display_name">;
type FirstPassword = { plain: string; clientKey: ClientKey } | { hash: string };

async function createFirst(
  options: AccountsOptions,
  named: FirstName,
  password: FirstPassword,
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
      : (await newCredentials(options, { ...named, role: "admin" }, password.plain, password.clientKey))
          .credentials;
  const account = newAccount(options.now(), { ...named, role: "admin", ...credentials });
  await options.document.update((state) => {
    refuse(state);
    return withNew(state, account);
  });
  return viewOf(options, account);
}

async function update(
  parts: Parts,
  account: Account,
  change: AccountChange,
  { precondition, isByRoot }: ChangeOptions = {},
): Promise<User> {
  const { enabled, ...ofProvider } = change;
  if (Object.values(ofProvider).some((value) => value !== undefined)) refuseOfProvider(account);
  const letsIn = isByRoot && enabled === undefined && change.role === undefined;
  const options = { check: checked(parts, precondition), letsIn };
  return viewOf(parts, (await parts.changeAccount(account.id, withChange(change), options)).account);
}

function checked(parts: Parts, precondition: Precondition | undefined) {
  return precondition && ((present: Account) => precondition(viewOf(parts, present)));
}

async function setPassword(
  parts: Parts,
  account: Account,
  password: string | undefined,
  { clientKey, maker, precondition, isByRoot }: PasswordChange & { clientKey: ClientKey },
): Promise<WithInitialPassword> {
  refuseOfProvider(account);
  const { credentials, initialPassword } = await newCredentials(parts, account, password, clientKey);
  const set = (present: Account): Account => ({ ...present, ...credentials });
  const options = { maker, check: checked(parts, precondition), letsIn: isByRoot };
  const changed = await parts.changeAccount(account.id, set, options);
  return { user: viewOf(parts, changed.account), initialPassword };
}

async function rescue(
  parts: Parts,
  account: Account,
  password: string | undefined,
  { clientKey, maker }: { clientKey: ClientKey; maker: Maker },
) {
  refuseOfProvider(account);
  const { credentials, initialPassword } = await newCredentials(parts, account, password, clientKey);
  const open = (present: Account): Account => ({
    ...present,
    ...credentials,
    enabled: true,
    two_factor: null,
  });
  const changed = await parts.changeAccount(account.id, open, { maker, letsIn: true });
  return { user: viewOf(parts, changed.account), initialPassword, isHeld: changed.isHeld };
}

async function remove(
  options: AccountsOptions,
  id: string,
  precondition: Precondition | undefined,
): Promise<void> {
  await options.document.update((state) => {
    precondition?.(viewOf(options, inState(state, id)));
    const accounts = state.accounts.filter((other) => other.id !== id);
    return keepingAnAdministrator(state, { accounts }, options);
  });
}

function withChange({ must_change_password, ...change }: AccountChange): (account: Account) => Account {
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  return (account) => ({
    ...account,
    ...Object.fromEntries(given),
    ...(must_change_password && account.password_state === "chosen" && { password_state: "initial" }),
  });
}

function withFactor(change: FactorChange): (account: Account) => Account {
  return (account) => ({ ...account, two_factor: change(account.two_factor) });
}

function viewOf(options: AccountsOptions, account: Account): User {
  return viewer(options)(account);
}

function asNow({ countTokens, hasLocks, lockOf }: AccountsOptions, user: User): User {
  const locked = hasLocks() ? lockOf(user.username) : null;
  return { ...user, locked, tokens: countTokens()(user.id) };
}

/** Makes views of users as they are now: for a list the rooms of their locks and tokens are asked once. */
function viewer(options: AccountsOptions): (account: Account) => User {
  const { hasLocks, lockOf, hasKey, countTokens, issuer } = options;
  const isAnyLocked = hasLocks();
  const tokensOf = countTokens();
  return (account) => {
    const { id, username, two_factor } = account;
    const isKeyMissing = two_factor !== null && !hasKey(two_factor.sealed_secret);
    const locked = isAnyLocked ? lockOf(username) : null;
    const origin = originOf(account, issuer);
    return toUser(account, { locked, isKeyMissing, tokens: tokensOf(id), origin });
  };
}
