import { createDerived, createGroups } from "../../store/documents/look-up.ts";
import type { TrustedTime } from "../trusted-time.ts";
import type { StoredApiToken } from "./api-token.ts";
import { noEnd } from "./token-rights.ts";

type Ending = Pick<StoredApiToken, "user_id" | "name" | "expires_at" | "is_dated">;

/** True if the token has expired by this time, or by an earlier one that was trusted. */
export function isOver(
  { is_dead, is_dated, expires_at }: Pick<StoredApiToken, "is_dead" | "is_dated" | "expires_at">,
  now: Date,
): boolean {
  return is_dead || (is_dated && now.getTime() >= Date.parse(expires_at));
}

/** The tokens that have not expired and are not suspended, and what follows from them. */
export function createLivingTokens(all: () => readonly StoredApiToken[], time: TrustedTime) {
  const living = createLiving(all, time);
  const nextEnd = createDerived(nextEndOf);
  let present: readonly StoredApiToken[] = [];
  const ofUser = createGroups(
    () => present,
    ({ user_id }) => user_id,
  );
  return {
    /** Those that have not expired and are not suspended; another list after each change. */
    living,
    countLiving: (): ((userId: string) => number) => {
      present = living();
      return (userId) => ofUser(userId).length;
    },
    /** The time at which the first program loses its access; null: no token ends, as far as is known. */
    nextEnd: (): Date | null => nextEnd(living()),
  };
}

/** They are found again when the tokens are others, and when the time has passed the next end or has gone back. */
function createLiving(all: () => readonly StoredApiToken[], time: TrustedTime) {
  let known: { readonly tokens: readonly StoredApiToken[]; readonly living: readonly StoredApiToken[] };
  let [from, until] = [0, Number.NEGATIVE_INFINITY];
  return (): readonly StoredApiToken[] => {
    const tokens = all();
    const now = time.expiryNow();
    const at = now.getTime();
    if (at >= from && at < until && known.tokens === tokens) return known.living;
    const living = tokens.filter((token) => !token.suspended && !isOver(token, now));
    const ends = living.map((token) =>
      token.is_dated ? Date.parse(token.expires_at) : Number.POSITIVE_INFINITY,
    );
    [from, until] = [at, ends.reduce((first, end) => Math.min(first, end), Number.POSITIVE_INFINITY)];
    known = { tokens, living };
    return living;
  };
}

/**
 * The time at which the first program loses its access: the earliest end of tokens. Of tokens with the same owner and
 * name the latest counts, because a rotation leaves two. null: none of them ends, as far as is known. `tokens`: the
 * valid ones.
 */
export function nextEndOf(tokens: readonly Ending[]): Date | null {
  const latest = new Map<string, number>();
  for (const { user_id, name, expires_at, is_dated } of tokens) {
    // A token that was made while the clock was not trusted gets its end when the clock is.
    const isOpen = expires_at === noEnd || !is_dated;
    const end = isOpen ? Number.POSITIVE_INFINITY : Date.parse(expires_at);
    const key = `${user_id} ${name}`;
    latest.set(key, Math.max(latest.get(key) ?? 0, end));
  }
  const next = Math.min(...latest.values());
  return Number.isFinite(next) ? new Date(next) : null;
}
