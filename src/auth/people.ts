import type { Settings, User } from "../contract/types.ts";
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
  const policy = security().require_2fa;
  const figures = {
    ...{ accounts: 0, administrators: 0, disabled: 0, locked: 0 },
    ...{ two_factor_missing: 0, without_two_factor: 0, must_change_password: 0, tokens: 0 },
  };
  const names = { locked: [] as string[], withoutFactor: [] as string[], unprotectedAdmins: [] as string[] };
  let refusedTokens = 0;
  // In one pass: a list of thousands of users is not made for a few numbers.
  for (const user of accounts.everyone()) {
    const { username, enabled, locked, tokens } = user;
    figures.accounts += 1;
    figures.tokens += tokens;
    if (user.must_change_password) figures.must_change_password += 1;
    if (locked !== null) names.locked.push(username);
    if (!enabled) figures.disabled += 1;
    else if (user.role === "admin") figures.administrators += 1;
    if (!isWithoutFactor(user)) continue;
    figures.without_two_factor += 1;
    if (isFactorRequired(user.role, policy)) {
      names.withoutFactor.push(username);
      refusedTokens += tokens;
    } else if (user.role === "admin") names.unprotectedAdmins.push(username);
  }
  figures.locked = names.locked.length;
  figures.two_factor_missing = names.withoutFactor.length;
  return { figures, ...names, refusedTokens, tokenEnds: endsSoon(apiTokens, time.expiryNow()) };
}

/** The provider keeps the second factor of its accounts, and does not tell this device about it. */
function isWithoutFactor({ enabled, origin, two_factor }: User): boolean {
  return enabled && origin === "local" && !two_factor.enabled;
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
