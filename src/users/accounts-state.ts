import { StewardError } from "../contract/errors.ts";
import type { Account, AccountsState } from "./account.ts";

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

/**
 * Throws `last_admin`. It judges the state that is about to be written, so that two demotions at once cannot both pass.
 */
export function keepingAnAdministrator(before: AccountsState, after: AccountsState): AccountsState {
  if (after.accounts.some(isEnabledAdministrator) || !before.accounts.some(isEnabledAdministrator))
    return after;
  throw new StewardError(
    "last_admin",
    "This is the last enabled administrator. Make another user an administrator first; otherwise the device could no longer be administered.",
  );
}

/**
 * Only administrators of this device count: a provider that disappears, or gives its groups another role, must not
 * leave the device without one.
 */
export function isEnabledAdministrator(account: Account): boolean {
  return account.role === "admin" && account.enabled && account.provider === null;
}
