import { createHash, createHmac } from "node:crypto";
import type { ApiTokensState } from "../../accounts/tokens/api-token.ts";
import { noEnd } from "../../accounts/tokens/token-rights.ts";
import type { AccountsState } from "../../accounts/users/account.ts";
import { settings as settingsSchema } from "../../contract/schemas/settings.ts";
import type { ConfigurationDigest, Settings } from "../../contract/types.ts";
import { canonicalText } from "../../journal/events/event-chain.ts";
import { onlyKnown } from "../../store/validation/members.ts";
import type { Present } from "./order.ts";

type Digests = Omit<ConfigurationDigest, "applied_at" | "drift">;

/**
 * Digests of what a configuration can say of the device, in the canonical form of RFC 8785: other ones after each change,
 * and the same while a token expires or a user signs in. HMAC (RFC 2104) with a key of the device: who reads them cannot
 * try out elsewhere what gives the same, such as names, addresses or a contact. `root`: fingerprint of the installed root
 * of trust, which is no secret; null: none.
 */
export function digestsOf(
  { users, tokens, settings }: Present,
  root: string | null,
  key: Uint8Array,
): Digests {
  const keyed = (name: string, text: string): string =>
    createHmac("sha256", key).update(`${name} ${text}`).digest("hex");
  const parts = {
    users: keyed("users", ofUsers(users)),
    tokens: keyed("tokens", ofTokens(tokens)),
    settings: keyed("settings", ofSettings(settings)),
    update_root: root,
  };
  return { digest: keyed("all", canonicalText(parts)), ...parts };
}

const ofUsers = once(({ accounts }: AccountsState) =>
  accounts
    .filter(({ provider }) => provider === null)
    .map(({ id, username, role, display_name, enabled, password_hash, password_state, two_factor }) => ({
      ...{ id, username, role, display_name, enabled, password_hash, password_state },
      enrolled_at: two_factor?.enrolled_at ?? null,
    }))
    .map(canonicalText)
    .sort(),
);

const ofTokens = once(({ tokens }: ApiTokensState) =>
  tokens
    .map(({ created_at, lifetime_seconds, expires_at, ...token }) => ({
      ...{ hash: token.hash, name: token.name, user_id: token.user_id, suspended: token.suspended },
      ...{ scopes: token.scopes, sources: token.sources, is_fleet: token.is_fleet },
      ...(token.pages && { pages: token.pages }),
      // By its lifetime: a token gets its date later where the clock was not trusted when it was made.
      ...{ created_at, lifetime_seconds, has_end: expires_at !== noEnd },
    }))
    .map(canonicalText)
    .sort(),
);

const ofSettings = once((settings: Settings) => onlyKnown(settingsSchema, settings));

/** Each state of a document is another object, so a digest is computed once for each. */
function once<T extends object>(part: (state: T) => unknown): (state: T) => string {
  const known = new WeakMap<T, string>();
  return (state) => {
    const digest =
      known.get(state) ??
      createHash("sha256")
        .update(canonicalText(part(state)))
        .digest("hex");
    known.set(state, digest);
    return digest;
  };
}
