import type { Settings } from "../contract/types.ts";
import { type PeopleFacts, tokenNoticeDays } from "../system/status-needs.ts";
import type { Accounts } from "../users/accounts.ts";
import { isFactorRequired } from "./sessions/required-action.ts";
import type { StoredApiToken } from "./tokens/api-token.ts";
import type { ApiTokens } from "./tokens/api-tokens.ts";
import type { TrustedTime } from "./trusted-time.ts";

export interface PeopleOptions {
  accounts: Accounts;
  apiTokens: ApiTokens;
  time: TrustedTime;
  security: () => Settings["security"];
}

/** The facts about people and their tokens in the device's status. */
export function peopleFacts({ accounts, apiTokens, time, security }: PeopleOptions): PeopleFacts {
  const users = accounts.everyone();
  const policy = security().require_2fa;
  const enabled = users.filter((user) => user.enabled);
  const locked = users.filter((user) => user.locked !== null);
  // The provider keeps the second factor of its accounts, and does not tell this device about it.
  const alone = enabled.filter(({ two_factor, origin }) => origin === "local" && !two_factor.enabled);
  const withoutFactor = alone.filter(({ role }) => isFactorRequired(role, policy));
  return {
    figures: {
      accounts: users.length,
      administrators: enabled.filter(({ role }) => role === "admin").length,
      disabled: users.length - enabled.length,
      locked: locked.length,
      two_factor_missing: withoutFactor.length,
      without_two_factor: alone.length,
      must_change_password: users.filter((user) => user.must_change_password).length,
      tokens: sumOfTokens(users),
    },
    locked: locked.map(({ username }) => username),
    withoutFactor: withoutFactor.map(({ username }) => username),
    unprotectedAdmins: enabled
      .filter((user) => user.role === "admin" && alone.includes(user) && !withoutFactor.includes(user))
      .map(({ username }) => username),
    refusedTokens: sumOfTokens(withoutFactor),
    tokenEnds: endsSoon(apiTokens, time.expiryNow()),
  };
}

function sumOfTokens(users: readonly { readonly tokens: number }[]): number {
  return users.reduce((sum, { tokens }) => sum + tokens, 0);
}

const dayMilliseconds = 86_400_000;

/** Days after its last use for which a token counts as in use. Its end is then no loss. */
const useDays = 30;

function endsSoon(apiTokens: ApiTokens, now: Date): string[] {
  const within = (moment: string | null, days: number) =>
    moment !== null && Math.abs(Date.parse(moment) - now.getTime()) <= days * dayMilliseconds;
  const isTold = (token: StoredApiToken) =>
    token.is_dated &&
    !apiTokens.isExpired(token) &&
    within(token.expires_at, tokenNoticeDays) &&
    within(token.last_used_at, useDays);
  return apiTokens
    .list()
    .filter(isTold)
    .map(({ expires_at }) => expires_at)
    .sort();
}
