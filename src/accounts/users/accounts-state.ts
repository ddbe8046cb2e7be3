import { StewardError } from "../../contract/errors.ts";
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
