import { StewardError } from "../../contract/errors.ts";
import type { Role, User } from "../../contract/types.ts";
import type { Document } from "../../store/documents/document.ts";
import { type Account, type AccountsState, type ProviderIdentity, replaced } from "./account.ts";
import { newAccount } from "./new-account.ts";
import { madeUpHash } from "./passwords.ts";

export interface ProviderAccount {
  readonly identity: ProviderIdentity;
  readonly role: Role;
  readonly display_name: string;
  /** Names for a new account, the preferred first. */
  readonly usernames: readonly string[];
}

/** The account of this identity before and after; `before` is undefined for a new one. */
export interface KeptAccount {
  readonly before: Account | undefined;
  readonly account: Account;
}

/** The origin of an account on a device whose host file names the provider with this issuer; null: it names none. */
export function originOf({ provider }: Pick<Account, "provider">, issuer: string | null): User["origin"] {
  if (provider === null) return "local";
  return provider.issuer === issuer ? "provider" : "former_provider";
}

/** The account of an identity: only by issuer and subject, never by its name. */
export function ofIdentity(state: AccountsState, identity: ProviderIdentity): Account | undefined {
  return state.accounts.find(
    ({ provider }) => provider?.issuer === identity.issuer && provider.subject === identity.subject,
  );
}

/** Makes an identity's account at its first sign-in; sets role and name at each. Throws `username_taken` if all are. */
export async function keepProviderAccount(
  { document, now }: { document: Document<AccountsState>; now: () => Date },
  given: ProviderAccount,
): Promise<KeptAccount> {
  const { identity, role, display_name } = given;
  const present = ofIdentity(document.read(), identity);
  if (present && present.role === role && present.display_name === display_name)
    return { before: present, account: present };
  let kept: KeptAccount | undefined;
  await document.update((state) => {
    const before = ofIdentity(state, identity);
    const account = before
      ? { ...before, role, display_name, updated_at: now().toISOString() }
      : withoutPassword(now(), given, freeName(state, given.usernames));
    kept = { before, account };
    return before ? replaced(state, account) : { accounts: [...state.accounts, account] };
  });
  if (!kept) throw new Error("the change was not made");
  return kept;
}

function withoutPassword(
  at: Date,
  { identity, role, display_name }: ProviderAccount,
  username: string,
): Account {
  const credentials = { password_hash: madeUpHash(), password_state: "chosen" } as const;
  return { ...newAccount(at, { username, role, display_name, ...credentials }), provider: identity };
}

function freeName({ accounts }: AccountsState, names: readonly string[]): string {
  const free = names.find((name) => accounts.every(({ username }) => username !== name));
  if (free !== undefined) return free;
  throw new StewardError(
    "username_taken",
    `Each name for the new account (${names.join(", ")}) is another user's. An administrator can delete one of them.`,
  );
}

/** Throws `account_of_provider`: facts that the provider decides are not changed here. */
export function refuseOfProvider({ username, provider }: Pick<Account, "username" | "provider">): void {
  if (provider === null) return;
  throw new StewardError(
    "account_of_provider",
    `${username} signs in at ${provider.issuer}, which has the password, the second factor, the name and the groups of this user. Change them there. On this device the account can be disabled, enabled and deleted. Nothing was changed.`,
  );
}
