import { type ApiTokensState, newTokenId } from "../../accounts/tokens/api-token.ts";
import { type AccountsState, newUserId } from "../../accounts/users/account.ts";
import type { Configuration, Settings } from "../../contract/types.ts";

/** The part of the state that a configuration is about, before or after it. */
export interface Present {
  readonly users: AccountsState;
  readonly tokens: ApiTokensState;
  readonly settings: Settings;
}

/** A configuration with all values that would differ a second time: carried out again after a crash, it ends the same. */
export interface Order {
  readonly configuration: Configuration;
  /** By the agent's clock, RFC 3339. */
  readonly at: string;
  readonly isClockTrusted: boolean;
  /** Ids for new users and tokens, by name and by hash. */
  readonly userIds: Readonly<Record<string, string>>;
  readonly tokenIds: Readonly<Record<string, string>>;
  /** Secrets of second factors, sealed for the state, by the name of their user. */
  readonly secondFactors?: Readonly<Record<string, string>>;
}

export function createOrder(configuration: Configuration, now: Date, isClockTrusted: boolean): Order {
  const { users = [], tokens = [] } = configuration;
  return {
    configuration,
    at: now.toISOString(),
    isClockTrusted,
    userIds: Object.fromEntries(users.map(({ name }) => [name, newUserId()])),
    tokenIds: Object.fromEntries(tokens.map(({ token_hash }) => [token_hash, newTokenId()])),
  };
}
