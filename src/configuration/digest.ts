import { createHash } from "node:crypto";
import type { ApiTokensState } from "../auth/tokens/api-token.ts";
import { noEnd, rightsOf } from "../auth/tokens/token-rights.ts";
import { settings as settingsSchema } from "../contract/schemas/settings.ts";
import type { ConfigurationDigest, Settings } from "../contract/types.ts";
import { canonicalText } from "../journal/events/event-chain.ts";
import { onlyKnown } from "../store/validation/members.ts";
import type { AccountsState } from "../users/account.ts";
import type { Present } from "./order.ts";

type Digests = Omit<ConfigurationDigest, "applied_at" | "drift">;

/**
 * SHA-256 of what a configuration can say of the device, in the canonical form of RFC 8785: another one after each
 * change, and the same while a token expires or a user signs in. No secret goes into it: of a password its argon2id hash,
 * whose salt of 128 random bits cannot be guessed; of a token its hash; of a second factor the time of its enrolment.
 * `root`: fingerprint of the installed root of trust; null: none.
 */
export function digestsOf({ users, tokens, settings }: Present, root: string | null): Digests {
  const parts = {
    users: ofUsers(users),
    tokens: ofTokens(tokens),
    settings: ofSettings(settings),
    update_root: root,
  };
  return { digest: digestOf(parts), ...parts };
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
    .map(({ hash, name, user_id, created_at, lifetime_seconds, expires_at, ...token }) => ({
      ...{ hash, name, user_id, ...rightsOf(token) },
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
    const digest = known.get(state) ?? digestOf(part(state));
    known.set(state, digest);
    return digest;
  };
}

function digestOf(value: unknown): string {
  return createHash("sha256").update(canonicalText(value)).digest("hex");
}
