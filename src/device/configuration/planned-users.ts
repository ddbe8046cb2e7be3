import type { Account, AccountsState, StoredFactor } from "../../accounts/users/account.ts";
import type { Configuration } from "../../contract/types.ts";
import type { Order } from "./order.ts";

export type ConfiguredUser = NonNullable<Configuration["users"]>[number];

/** The remaining users as the order changes them, then the new ones; the same object if nothing changes. */
export function plannedUsers(present: AccountsState, order: Order): AccountsState {
  const { users = [], users_not_named } = order.configuration;
  const wanted = new Map(users.map((user) => [user.name, user]));
  const kept = present.accounts.flatMap((account) => {
    const user = wanted.get(account.username);
    if (user === undefined) return users_not_named === "remove" ? [] : [account];
    return [changed(account, user, order)];
  });
  const known = new Set(present.accounts.map(({ username }) => username));
  const fresh = users.filter(({ name }) => !known.has(name)).map((user) => newAccount(user, order));
  const accounts = [...kept, ...fresh];
  const isSame =
    accounts.length === present.accounts.length &&
    accounts.every((account, index) => account === present.accounts[index]);
  return isSame ? present : { accounts };
}

function changed(account: Account, user: ConfiguredUser, order: Order): Account {
  const { role = account.role, display_name = account.display_name, enabled = account.enabled } = user;
  const hash = hashFor(account, user);
  const next: Account = {
    ...{ ...account, role, display_name, enabled, two_factor: factorOf(account, order) },
    ...(hash !== null && { password_hash: hash, password_state: "chosen" as const }),
  };
  return JSON.stringify(next) === JSON.stringify(account) ? account : { ...next, updated_at: order.at };
}

/** A file's factor has no recovery codes: its user makes them. The order may be carried out a second time. */
function factorOf(
  { username, two_factor }: Pick<Account, "username" | "two_factor">,
  { at, secondFactors }: Order,
): StoredFactor | null {
  // A user may be called "constructor", which every object has.
  const isNamed = secondFactors !== undefined && Object.hasOwn(secondFactors, username);
  const sealed_secret = isNamed ? secondFactors[username] : undefined;
  if (sealed_secret === undefined || sealed_secret === two_factor?.sealed_secret) return two_factor;
  return { sealed_secret, enrolled_at: at, recovery_hashes: [] };
}

/** The hash that replaces the present one; null: the present one stays, with its user's required actions. */
function hashFor(account: Account, { password_hash, update_password }: ConfiguredUser): string | null {
  if (password_hash === undefined || update_password === "on_create") return null;
  return password_hash === account.password_hash ? null : password_hash;
}

/** A new user without a role or a password is refused before this is called. */
function newAccount(user: ConfiguredUser, order: Order): Account {
  const { at, userIds } = order;
  return {
    id: userIds[user.name] ?? "",
    username: user.name,
    display_name: user.display_name ?? "",
    role: user.role ?? "readonly",
    enabled: user.enabled ?? true,
    password_hash: user.password_hash ?? "",
    password_state: "chosen",
    two_factor: factorOf({ username: user.name, two_factor: null }, order),
    provider: null,
    last_login_at: null,
    created_at: at,
    updated_at: at,
  };
}
