import { type Fault, refuseFaults, StewardError } from "../../contract/errors.ts";
import type { Role } from "../../contract/types.ts";
import type { Document } from "../../store/documents/document.ts";
import { type Account, type AccountsState, newUserId, type PasswordState, withNew } from "./account.ts";
import { type ClientKey, makeInitialPassword, type Passwords } from "./passwords.ts";

export interface NewAccount {
  username: string;
  role: Role;
  /** Absent: a one-use initial password is made. */
  password?: string | undefined;
  display_name?: string | undefined;
  enabled?: boolean | undefined;
}

interface Parts {
  readonly document: Document<AccountsState>;
  readonly passwords: Passwords;
  readonly checkPassword: CheckPassword;
  readonly now: () => Date;
}

/** Throws `username_taken` and the errors of the password rules, both at once. */
export async function create(
  parts: Parts,
  input: NewAccount,
  clientKey: ClientKey,
): Promise<{ account: Account; initialPassword: string | undefined }> {
  refuseFaults(await newAccountFaults(parts, input));
  const { credentials, initialPassword } = await newCredentials(parts, input, input.password, clientKey);
  const account = newAccount(parts.now(), { ...input, ...credentials });
  // `withNew` looks for the name once more: it may have been taken while the password was hashed.
  await parts.document.update((state) => withNew(state, account));
  return { account, initialPassword };
}

/** The faults of a form for a new user, as far as it is filled in. */
export async function newAccountFaults(
  { document, checkPassword }: Pick<Parts, "document" | "checkPassword">,
  { username = "", role = "readonly", password }: Partial<NewAccount>,
): Promise<Fault[]> {
  const faults: Fault[] = [];
  if (document.read().accounts.some((other) => other.username === username))
    faults.push(faultAt("/username", "username_taken", `There is a user "${username}" already`));
  if (password === undefined) return faults;
  try {
    await checkPassword(password, { username, role });
  } catch (error) {
    if (!(error instanceof StewardError)) throw error;
    faults.push(faultAt("/password", error.code, error.message.replace(/\.$/, "")));
  }
  return faults;
}

function faultAt(pointer: string, code: Fault["as"], sentence: string): Fault {
  return { pointer, code, as: code, sentence, detail: `${sentence}.` };
}

export function newAccount(at: Date, input: NewAccount & Credentials): Account {
  const now = at.toISOString();
  return {
    id: newUserId(),
    username: input.username,
    display_name: input.display_name ?? "",
    role: input.role,
    enabled: input.enabled ?? true,
    password_hash: input.password_hash,
    password_state: input.password_state,
    two_factor: null,
    provider: null,
    last_login_at: null,
    created_at: now,
    updated_at: now,
  };
}

/** Throws if this user must not use the password. */
export type CheckPassword = (password: string, user: { username: string; role: Role }) => Promise<void>;

export interface Credentials {
  password_hash: string;
  password_state: PasswordState;
}

/** The hash of a password that passed the rules, or of a one-use password that is made if none is given. */
export async function newCredentials(
  options: { checkPassword: CheckPassword; passwords: Passwords },
  user: { username: string; role: Role },
  password: string | undefined,
  clientKey: ClientKey,
): Promise<{ credentials: Credentials; initialPassword: string | undefined }> {
  if (password !== undefined) {
    await options.checkPassword(password, user);
    const password_hash = await options.passwords.hash(password, clientKey);
    return { credentials: { password_hash, password_state: "chosen" }, initialPassword: undefined };
  }
  const initialPassword = makeInitialPassword();
  const password_hash = await options.passwords.hash(initialPassword, clientKey);
  return { credentials: { password_hash, password_state: "initial" }, initialPassword };
}
