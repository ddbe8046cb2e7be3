import { StewardError } from "../../contract/errors.ts";
import { finding, type Remedy } from "../../contract/finding.ts";
import type { Finding } from "../../contract/types.ts";
import type { Account, AccountsState } from "./account.ts";

/** The facts that decide, beside an account, if its user can sign in. */
export interface SignInFacts {
  /** True if this device has the key that a second factor was sealed with. */
  readonly hasKey: (sealedSecret: string) => boolean;
  /** True if the user with this id has a session, in which a password that is used up can still be replaced. */
  readonly isSignedIn: (id: string) => boolean;
}

/** The ways of an administrator of this device to get in, the surest highest. */
const ways = { none: 0, rescue: 1, oneUse: 2, own: 3 } as const;

/** Administrators whom a change would shut out, and why none of the others counts. */
export interface ShutOut {
  readonly last: readonly Account[];
  readonly why: string;
}

/**
 * True for an enabled administrator of this device, who exists even if only root can let them in. Accounts of the provider
 * do not count: one that disappears, or gives its groups another role, must not leave the device without an administrator.
 */
export function isEnabledAdministrator({ role, enabled, provider }: Account): boolean {
  return role === "admin" && enabled && provider === null;
}

/**
 * The administrators whom a change shuts out; null: afterwards one gets in as surely as before. With `letsIn`, a one-use
 * password is enough: the change gives a user one, or is by root, who can give another.
 */
export function shutOut(
  { accounts: before }: AccountsState,
  { accounts: after }: AccountsState,
  facts: SignInFacts,
  letsIn = false,
): ShutOut | null {
  const [was, is] = [surest(before, facts), surest(after, facts)];
  if (is >= (letsIn ? Math.min(was, ways.oneUse) : was)) return null;
  const last = before.filter((account) => wayOf(account, facts).way === was);
  const left = after.filter(({ role }) => role === "admin");
  const others = left.map((account) => `${account.username} ${wayOf(account, facts).why}`);
  const named = others.slice(0, mostNamed).join("; ");
  const more = others.length > mostNamed ? `; and ${others.length - mostNamed} more` : "";
  return { last, why: others.length === 0 ? "there is no other" : named + more };
}

const mostNamed = 5;

/** Throws `last_admin`. It judges the state that is about to be written, so that two demotions at once cannot both pass. */
export function keepingAnAdministrator(
  before: AccountsState,
  after: AccountsState,
  facts: SignInFacts,
  letsIn?: boolean,
): AccountsState {
  const found = shutOut(before, after, facts, letsIn);
  if (found === null) return after;
  throw new StewardError(
    "last_admin",
    `Afterwards no administrator of this device could sign in by themselves: ${found.why}. First let another administrator sign in and choose a password, or set one: \`steward user passwd NAME\`. Nothing was changed.`,
  );
}

/** The finding that only root can let an administrator in; null: one can sign in, or none is enabled. */
export function administratorTrouble(accounts: readonly Account[], facts: SignInFacts, isNamed = false) {
  if (surest(accounts, facts) !== ways.rescue) return null;
  const shut = accounts.filter((account) => wayOf(account, facts).way === ways.rescue);
  const { username } = (isNamed && shut[0]) || { username: "NAME" };
  const particulars = "`steward user list --role admin` names them.";
  return finding("no_administrator", { users: shut.length }, particulars, rescueOf(username)) as Finding;
}

export function rescueOf(username: string): Remedy {
  const deletes = `password and second factor of ${username}, who gets a one-use password`;
  return { line: `steward user rescue ${username}`, deletes };
}

function surest(accounts: readonly Account[], facts: SignInFacts): number {
  const administrators = accounts.filter(isEnabledAdministrator);
  return Math.max(ways.none, ...administrators.map((account) => wayOf(account, facts).way));
}

/** `why` follows the name; empty: the administrator can sign in. A lock does not count, as it ends. */
function wayOf(account: Account, { hasKey, isSignedIn }: SignInFacts): { way: number; why: string } {
  const { id, enabled, provider, password_state, two_factor } = account;
  if (provider !== null) return { way: ways.none, why: `signs in at ${provider.issuer}` };
  if (!isEnabledAdministrator(account)) return { way: ways.none, why: enabled ? "" : "is disabled" };
  const others = [...(two_factor?.recovery_hashes ?? []), ...(two_factor?.passkeys ?? [])];
  if (two_factor !== null && others.length === 0 && !hasKey(two_factor.sealed_secret))
    return { way: ways.rescue, why: "has a second factor that cannot be checked, and no recovery code" };
  if (password_state === "chosen") return { way: ways.own, why: "" };
  if (password_state === "initial")
    return { way: ways.oneUse, why: "has not signed in with the one-use password yet" };
  if (isSignedIn(id)) return { way: ways.oneUse, why: "has not replaced the one-use password yet" };
  return { way: ways.rescue, why: "has used up the one-use password and chosen no other" };
}
