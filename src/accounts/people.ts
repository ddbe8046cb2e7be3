import type { Settings } from "../contract/types.ts";
import { lasting } from "../store/documents/lasting.ts";
import { createDerived } from "../store/documents/look-up.ts";
import { type PeopleFacts, tokenNoticeDays } from "../system/status-needs.ts";
import { isFactorRequired } from "./sessions/required-action.ts";
import type { Throttle } from "./throttle/throttle.ts";
import type { StoredApiToken } from "./tokens/api-token.ts";
import type { ApiTokens } from "./tokens/api-tokens.ts";
import type { TrustedTime } from "./trusted-time.ts";
import type { Account } from "./users/account.ts";
import type { Accounts } from "./users/accounts.ts";
import { originOf } from "./users/provider-account.ts";

/** Facts about people and tokens, thousands, in a status each few seconds: found again when accounts or tokens differ. */
export function createPeopleFacts({
  accounts,
  apiTokens,
  throttle,
  time,
  security,
  issuer,
}: {
  accounts: Pick<Accounts, "all">;
  apiTokens: Pick<ApiTokens, "list" | "living" | "isExpired">;
  throttle: Locks;
  time: Pick<TrustedTime, "expiryNow">;
  security: () => Pick<Settings["security"], "require_2fa">;
  /** The issuer of the provider that the host file names; null: it names none. */
  issuer: string | null;
}): () => PeopleFacts {
  const standing = createDerived(standingOf);
  const owned = createDerived(ownedTokens);
  const ends = createDerived((living: readonly StoredApiToken[]) => {
    // One that has just expired is marked, so that no other clock makes it valid again.
    for (const token of apiTokens.list()) if (token.is_dated) apiTokens.isExpired(token);
    return living.flatMap(noticeOf);
  });
  const facts = createDerived(
    (present: Standing, tokens: OwnedTokens, locked: readonly string[], tokenEnds: readonly string[]) => ({
      figures: lasting({ ...present.figures, locked: locked.length, tokens: tokens.all }),
      ...{ locked, tokenEnds, refusedTokens: tokens.refused },
      withoutFactor: present.withoutFactor.map(({ username }) => username),
      unprotectedAdmins: present.unprotectedAdmins,
    }),
  );
  return () => {
    const all = accounts.all();
    const present = standing(all, security().require_2fa, issuer);
    const tokens = owned(apiTokens.living(), all, present.withoutFactor);
    return facts(present, tokens, lockedNames(all, throttle), endsSoon(ends(apiTokens.living()), time));
  };
}

type Standing = ReturnType<typeof standingOf>;

function standingOf(
  users: readonly Account[],
  policy: Settings["security"]["require_2fa"],
  issuer: string | null,
) {
  const enabled = users.filter((user) => user.enabled);
  // The provider keeps the second factor of its accounts, and does not tell this device about it.
  const alone = enabled.filter(({ two_factor, provider }) => provider === null && two_factor === null);
  const withoutFactor = alone.filter(({ role }) => isFactorRequired(role, policy));
  const unprotected = alone.filter(({ role }) => role === "admin" && !isFactorRequired(role, policy));
  return {
    figures: {
      accounts: users.length,
      // An account of a provider that the host file does not name signs no one in.
      administrators: enabled.filter(
        (user) => user.role === "admin" && originOf(user, issuer) !== "former_provider",
      ).length,
      disabled: users.length - enabled.length,
      // Their place in the answer.
      locked: 0,
      two_factor_missing: withoutFactor.length,
      without_two_factor: alone.length,
      must_change_password: users.filter((user) => user.password_state !== "chosen").length,
    },
    withoutFactor,
    unprotectedAdmins: unprotected.map(({ username }) => username),
  };
}

type OwnedTokens = ReturnType<typeof ownedTokens>;

function ownedTokens(
  living: readonly StoredApiToken[],
  users: readonly Account[],
  withoutFactor: readonly Account[],
) {
  const countOf = (owners: readonly Account[]): number => {
    const ids = new Set(owners.map(({ id }) => id));
    return living.filter(({ user_id }) => ids.has(user_id)).length;
  };
  return {
    /** Living tokens of users. */
    all: countOf(users),
    /** Those of users without the factor that they must have. */
    refused: countOf(withoutFactor),
  };
}

/** It has one identity, so that facts which are the same are recognised. */
const none: readonly string[] = [];

type Locks = Pick<Throttle, "hasLocks" | "lockOf">;

function lockedNames(users: readonly Account[], { hasLocks, lockOf }: Locks) {
  if (!hasLocks()) return none;
  return users.map(({ username }) => username).filter((username) => lockOf(username) !== null);
}

const dayMilliseconds = 86_400_000;

/** Days after its last use for which a token counts as in use. Its end is then no loss. */
const useDays = 30;

/** A token's end, and the time in which the status mentions it. */
interface Notice {
  readonly end: string;
  readonly from: number;
  readonly to: number;
}

function noticeOf({ is_dated, expires_at, last_used_at }: StoredApiToken): Notice[] {
  if (!is_dated || last_used_at === null) return [];
  const [end, used] = [Date.parse(expires_at), Date.parse(last_used_at)];
  const from = Math.max(end - tokenNoticeDays * dayMilliseconds, used - useDays * dayMilliseconds);
  return [{ end: expires_at, from, to: used + useDays * dayMilliseconds }];
}

function endsSoon(notices: readonly Notice[], time: Pick<TrustedTime, "expiryNow">): readonly string[] {
  if (notices.length === 0) return none;
  const now = time.expiryNow().getTime();
  const ends = notices.filter(({ from, to }) => now >= from && now <= to).map(({ end }) => end);
  return ends.length === 0 ? none : ends.sort();
}
