import type { Session } from "../../contract/types.ts";
import type { OpenedSession } from "../sessions/refresh-exchange.ts";
import type { RequiredAction } from "../sessions/required-action.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { type AccessTokens, accessSeconds } from "../tokens/access-tokens.ts";
import type { TrustedTime } from "../trusted-time.ts";
import type { Account } from "../users/account.ts";
import type { Accounts } from "../users/accounts.ts";

export interface SessionResponseOptions {
  accounts: Accounts;
  sessions: Sessions;
  tokens: AccessTokens;
  time: TrustedTime;
  /** The action that this user has to take first. */
  requiredAction: (account: Account) => RequiredAction;
}

/** Fewer recovery codes than this make the answer advise new ones. */
const fewRecoveryCodes = 3;

/** The answer to a sign-in or a refresh: tokens, deadlines as times of day, and warnings for the user. */
export function respondWithSession(
  options: SessionResponseOptions,
  { session, refreshToken }: OpenedSession,
  account: Account,
): Session {
  const { accounts, sessions, tokens, time } = options;
  const { idleSeconds, absoluteSeconds } = sessions.remaining(session);
  const at = (seconds: number) => new Date(time.now().getTime() + seconds * 1_000).toISOString();
  return {
    access_token: tokens.issue(account.id, session.id),
    token_type: "Bearer",
    expires_in: accessSeconds,
    refresh_token: refreshToken,
    session: {
      id: session.id,
      expires_at: at(absoluteSeconds),
      idle_expires_at: at(Math.min(idleSeconds, absoluteSeconds)),
    },
    user: accounts.view(account),
    warnings: warningsOf(account, options.requiredAction(account)),
  };
}

function warningsOf({ two_factor }: Account, requiredAction: RequiredAction): string[] {
  const warnings: string[] = [];
  if (requiredAction === "password_change") {
    warnings.push(
      "This one-use password is spent now. Choose your own with PUT /api/auth/password before this session ends.",
    );
  }
  if (requiredAction === "two_factor_enrolment") {
    warnings.push(
      "This device asks for two-factor sign-in. Until you have enrolled, with POST /api/users/{id}/2fa/setup and …/enable, this session can do nothing else.",
    );
  }
  if (two_factor && two_factor.recovery_hashes.length < fewRecoveryCodes) {
    warnings.push(
      `You have ${two_factor.recovery_hashes.length} recovery codes left. Make new ones with POST /api/users/{id}/2fa/recovery-codes.`,
    );
  }
  return warnings;
}
