import { randomBytes } from "node:crypto";
import { StewardError } from "../../contract/errors.ts";
import { nullableTimestamp, passwordHash, role, timestamp, userId, username } from "../../contract/shapes.ts";
import { displayName } from "../../contract/text/visible-text.ts";
import type { Role, User } from "../../contract/types.ts";
import type { DocumentKind, Migration } from "../../store/documents/document-kind.ts";
import { objectOf } from "../../store/validation/object-schema.ts";

/** `chosen`: by its user, or permanently by an administrator; `initial`: made for one sign-in; `spent`: after that. */
export type PasswordState = "chosen" | "initial" | "spent";

/** A public key with which a passkey proves itself, under one host name of the device. */
export interface StoredPasskey {
  readonly id: string;
  readonly name: string;
  /** WebAuthn's `rp.id`. */
  readonly host: string;
  /** base64url, as the browser names it. */
  readonly credential_id: string;
  /** The COSE key (RFC 9052 §7), base64url. */
  readonly public_key: string;
  /** The ways on which a browser reaches it. Absent: unknown. */
  readonly transports?: readonly string[];
  /** The last signature counter; 0: the authenticator has none. */
  readonly sign_count: number;
  readonly created_at: string;
  readonly last_used_at: string | null;
}

/** The stored second factor of an account. No code and no recovery code can be read from it. */
export interface StoredFactor {
  /** The secret that the authenticator shares, sealed for this account. */
  readonly sealed_secret: string;
  readonly enrolled_at: string;
  readonly recovery_hashes: readonly string[];
  readonly passkeys?: readonly StoredPasskey[];
}

/** The identity of a person at an OpenID provider: the subject, which is unique only together with its issuer. */
export interface ProviderIdentity {
  readonly issuer: string;
  readonly subject: string;
}

export interface Account {
  readonly id: string;
  readonly username: string;
  readonly display_name: string;
  readonly role: Role;
  readonly enabled: boolean;
  /** PHC string. If the user signs in at the provider, it is the hash of no password. */
  readonly password_hash: string;
  readonly password_state: PasswordState;
  /** null: the password is enough to sign in. */
  readonly two_factor: StoredFactor | null;
  /** null: an account of this device. */
  readonly provider: ProviderIdentity | null;
  readonly last_login_at: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface AccountsState {
  readonly accounts: readonly Account[];
}

const storedPasskey = objectOf(
  {
    id: { type: "string" },
    name: { type: "string" },
    host: { type: "string" },
    credential_id: { type: "string", minLength: 1 },
    public_key: { type: "string", minLength: 1 },
    sign_count: { type: "integer", minimum: 0 },
    created_at: timestamp,
    last_used_at: nullableTimestamp,
  },
  { transports: { type: "array", items: { type: "string" } } },
);

const storedFactor = objectOf(
  {
    sealed_secret: { type: "string", minLength: 1 },
    enrolled_at: timestamp,
    recovery_hashes: { type: "array", items: { type: "string", minLength: 1 } },
  },
  { passkeys: { type: "array", items: storedPasskey } },
);

const providerIdentity = objectOf({
  issuer: { type: "string", minLength: 1, maxLength: 512 },
  subject: { type: "string", minLength: 1, maxLength: 255 },
});

const account = objectOf({
  id: userId,
  username,
  display_name: displayName,
  role,
  enabled: { type: "boolean" },
  password_hash: passwordHash,
  password_state: { type: "string", enum: ["chosen", "initial", "spent"] },
  two_factor: { oneOf: [{ type: "null" }, storedFactor] },
  provider: { oneOf: [{ type: "null" }, providerIdentity] },
  last_login_at: nullableTimestamp,
  created_at: timestamp,
  updated_at: timestamp,
});

/** Accounts must never be replaced by defaults: without them the agent goes into rescue. */
export const accountsKind: DocumentKind<AccountsState> = {
  name: "users",
  formatVersion: "1.2.0",
  migrations: {
    "1.1.0": (members) => giveEach(members, { two_factor: null }),
    "1.2.0": (members) => giveEach(members, { provider: null }),
  },
  schema: objectOf({ accounts: { type: "array", items: account } }),
  defaults: { accounts: [] },
  onLoss: "rescue",
  isNewVersion: (before, { accounts }) =>
    before === null
      ? accounts.length > 0
      : before.accounts.length !== accounts.length ||
        accounts.some((account, index) => isChanged(before.accounts[index], account)),
};

function giveEach(members: Parameters<Migration>[0], added: Partial<Account>): void {
  const accounts = members.get("accounts");
  if (!Array.isArray(accounts)) throw new Error("accounts is no list");
  members.set(
    "accounts",
    accounts.map((one: object) => ({ ...added, ...one })),
  );
}

/** An ordinary sign-in (its time, a passkey's counter) makes no new version: ten must not push out changes of people. */
function isChanged(before: Account | undefined, after: Account): boolean {
  return before !== after && JSON.stringify(before, besidesSignIns) !== JSON.stringify(after, besidesSignIns);
}

function besidesSignIns(key: string, value: unknown): unknown {
  return ["last_login_at", "last_used_at", "sign_count"].includes(key) ? undefined : value;
}

export function newUserId(): string {
  return `usr_${randomBytes(16).toString("hex")}`;
}

/** The state of an account in other rooms: its locks, its API tokens, and whether its second factor's key is missing. */
interface AccountState {
  readonly locked: User["locked"];
  readonly isKeyMissing: boolean;
  /** API tokens that have not expired. */
  readonly tokens: number;
  readonly origin: User["origin"];
}

/** The part of an account that others may see. */
export function toUser(account: Account, { locked, isKeyMissing, tokens, origin }: AccountState): User {
  const { two_factor, provider } = account;
  return {
    id: account.id,
    username: account.username,
    display_name: account.display_name,
    role: account.role,
    origin,
    ...(provider !== null && { issuer: provider.issuer }),
    enabled: account.enabled,
    must_change_password: account.password_state !== "chosen",
    two_factor: {
      enabled: two_factor !== null,
      enrolled_at: two_factor?.enrolled_at ?? null,
      recovery_codes_remaining: two_factor?.recovery_hashes.length ?? 0,
      ...(isKeyMissing && { sealing_key: "missing" as const }),
    },
    locked,
    tokens,
    last_login_at: account.last_login_at,
    created_at: account.created_at,
    updated_at: account.updated_at,
  };
}

/** Throws `not_found`. */
export function inState(state: AccountsState, id: string): Account {
  const account = state.accounts.find((candidate) => candidate.id === id);
  if (!account) throw new StewardError("not_found", "There is no user with this id.");
  return account;
}

/** Throws `username_taken`. */
export function withNew(state: AccountsState, account: Account): AccountsState {
  if (state.accounts.some((other) => other.username === account.username)) {
    throw new StewardError("username_taken", `There is a user "${account.username}" already.`);
  }
  return { accounts: [...state.accounts, account] };
}

export function replaced(state: AccountsState, account: Account): AccountsState {
  return { accounts: state.accounts.map((other) => (other.id === account.id ? account : other)) };
}
