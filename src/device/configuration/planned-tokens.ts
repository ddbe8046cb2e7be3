import { type ApiTokensState, resumed, type StoredApiToken } from "../../accounts/tokens/api-token.ts";
import { noEnd, type TokenRights } from "../../accounts/tokens/token-rights.ts";
import type { AccountsState } from "../../accounts/users/account.ts";
import { durationSeconds } from "../../contract/durations.ts";
import { tokenLifeSeconds } from "../../contract/schemas/tokens.ts";
import type { Configuration } from "../../contract/types.ts";
import type { Order } from "./order.ts";

export type ConfiguredToken = NonNullable<Configuration["tokens"]>[number];

/** The tokens as the order changes them, without those of removed users, then new ones; the same object if none change. */
export function plannedTokens(present: ApiTokensState, users: AccountsState, order: Order): ApiTokensState {
  const { tokens = [], tokens_not_named } = order.configuration;
  const wanted = new Map(tokens.map((token) => [token.token_hash, token]));
  const ids = new Map(users.accounts.map(({ username, id }) => [username, id]));
  const living = new Set(ids.values());
  const kept = present.tokens.flatMap((token) => {
    if (!living.has(token.user_id)) return [];
    const one = wanted.get(token.hash);
    if (one === undefined) return tokens_not_named === "remove" ? [] : [token];
    return [changed(token, one, ids.get(one.user) ?? "")];
  });
  const known = new Set(present.tokens.map(({ hash }) => hash));
  const fresh = tokens
    .filter(({ token_hash }) => !known.has(token_hash))
    .map((token) => newToken(token, ids.get(token.user) ?? "", order));
  const all = [...kept, ...fresh];
  const isSame =
    all.length === present.tokens.length && all.every((token, index) => token === present.tokens[index]);
  return isSame ? present : { ...present, tokens: all };
}

/** Without `expires_at` the token keeps its end; `expires_in` is for new ones. A suspended one is resumed. */
function changed(token: StoredApiToken, wanted: ConfiguredToken, userId: string): StoredApiToken {
  const { name } = wanted;
  const expires_at = endOf(wanted);
  const isOtherEnd = expires_at !== undefined && Date.parse(expires_at) !== Date.parse(token.expires_at);
  const rights = rightsWanted(wanted);
  const next: StoredApiToken = {
    ...{ ...resumed(token), name, user_id: userId },
    // A file without pages takes the binding off.
    ...(!isSameRights(token, rights) && { pages: undefined, ...rights }),
    ...(isOtherEnd && endAt(expires_at, token.created_at)),
  };
  return JSON.stringify(next) === JSON.stringify(token) ? token : next;
}

function newToken(
  wanted: ConfiguredToken,
  userId: string,
  { at, tokenIds, isClockTrusted }: Order,
): StoredApiToken {
  const { token_hash, name, expires_in = "90d" } = wanted;
  const lifetime = durationSeconds(expires_in);
  const end = new Date(Date.parse(at) + lifetime * 1_000).toISOString();
  const expires_at = endOf(wanted);
  return {
    id: tokenIds[token_hash] ?? "",
    user_id: userId,
    ...{ name, ...rightsWanted(wanted), hash: token_hash, created_at: at },
    ...{ lifetime_seconds: lifetime, expires_at: end, is_dated: isClockTrusted, is_dead: false },
    ...(expires_at !== undefined && endAt(expires_at, at)),
    last_used_at: null,
    last_used_from: null,
    suspended: false,
  };
}

export function rightsWanted({ scopes, sources, is_fleet, pages }: ConfiguredToken): TokenRights {
  return { scopes, sources: sources ?? [], is_fleet: is_fleet ?? false, ...(pages && { pages }) };
}

function endOf({ expires_at, no_expiry }: ConfiguredToken): string | undefined {
  return no_expiry ? noEnd : expires_at;
}

/** A date from root holds whatever the clock was worth when the token was made. */
function endAt(expires_at: string, created_at: string) {
  const wanted = Date.parse(expires_at);
  // A date that does not exist, such as the 31st of February, is reported as a fault.
  const end = new Date(Number.isNaN(wanted) ? created_at : wanted);
  const seconds = (end.getTime() - Date.parse(created_at)) / 1_000;
  return {
    expires_at: end.toISOString(),
    lifetime_seconds: Math.min(Math.max(seconds, 1), tokenLifeSeconds.longest),
    is_dated: true,
    is_dead: false,
  };
}

function isSameRights(one: TokenRights, other: TokenRights): boolean {
  const isSameSet = (some: readonly string[], others: readonly string[]) =>
    some.length === others.length && some.every((text) => others.includes(text));
  return (
    one.is_fleet === other.is_fleet &&
    isSameSet(one.scopes, other.scopes) &&
    isSameSet(one.sources, other.sources) &&
    isSameSet(one.pages ?? [], other.pages ?? [])
  );
}
