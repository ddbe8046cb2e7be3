import type { StoredApiToken } from "./api-token.ts";
import { noEnd } from "./token-rights.ts";

type Ending = Pick<StoredApiToken, "user_id" | "name" | "expires_at" | "is_dated">;

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
