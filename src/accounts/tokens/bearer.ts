import { type ErrorDetails, StewardError } from "../../contract/errors.ts";
import type { Settings } from "../../contract/types.ts";
import type { Uptime } from "../../host/ports.ts";
import { type RequiredAction, requiredActionOf } from "../sessions/required-action.ts";
import type { StoredSession } from "../sessions/session.ts";
import type { Sessions } from "../sessions/sessions.ts";
import type { StepUps } from "../sessions/step-up.ts";
import type { TrustedTime } from "../trusted-time.ts";
import type { Account } from "../users/account.ts";
import type { Accounts } from "../users/accounts.ts";
import { type AccessClaims, accessTokenRules } from "./access-tokens.ts";
import type { StoredApiToken } from "./api-token.ts";
import type { ApiTokens } from "./api-tokens.ts";
import { isAllowedFrom } from "./token-rights.ts";

export interface Person {
  readonly kind: "user";
  readonly account: Account;
  readonly session: StoredSession;
  readonly requiredAction: RequiredAction;
  readonly isSteppedUp: boolean;
  /** Its time claims are wrong and were tolerated, so that the user can correct the clock. */
  readonly isTolerated: boolean;
}

export interface Program {
  readonly kind: "token";
  readonly account: Account;
  /** The action that the owner must take first; until then the token is refused, too. */
  readonly requiredAction: RequiredAction;
  readonly token: StoredApiToken;
  readonly isTolerated: boolean;
}

/** Decides at every request who the holder of a verified token is. Throws `invalid_token`. */
export type Bearer = ReturnType<typeof createBearer>;

export interface BearerOptions {
  accounts: Accounts;
  sessions: Sessions;
  apiTokens: ApiTokens;
  stepUps: StepUps;
  time: TrustedTime;
  uptime: Uptime;
  security: () => Settings["security"];
}

/** Seconds of monotonic time in which a token with wrong time claims may correct the clock. */
export const toleranceSeconds = 60 * 60;

export function createBearer(options: BearerOptions) {
  const { accounts, sessions, apiTokens, stepUps, uptime } = options;
  return {
    /** `hasBegun`: its times were right when the request began, and do not count any more. */
    person: (claims: AccessClaims, isClockTolerant: boolean, hasBegun: boolean = false): Person => {
      const session = sessions.find(claims.sessionId);
      const account = session && accounts.find(session.user_id);
      if (!session || !account?.enabled || account.id !== claims.subject) {
        throw refused(options, "revoked", "The session of this access token has ended. Sign in again.");
      }
      sessions.noteUse(session, claims.issuedUptime);
      const wrong = hasBegun ? undefined : timeFault(options, claims);
      const isTolerated = wrong !== undefined;
      const isRecent = () => uptime() - claims.issuedUptime < toleranceSeconds;
      if (wrong && !(isClockTolerant && isRecent() && isClockInDoubt(options))) throw wrong;
      const requiredAction = requiredActionOf(account, options.security().require_2fa);
      const isSteppedUp = !isTolerated && stepUps.isGranted(session.id);
      return { kind: "user", account, session, requiredAction, isSteppedUp, isTolerated };
    },
    program: (text: string, isClockTolerant: boolean, from: string): Program => {
      const token = apiTokens.find(text);
      const account = token && accounts.find(token.user_id);
      const about = token ? { id: token.id, name: `${account?.username}/${token.name}` } : null;
      const refuse = (reason: string, message: string, isProven = true) =>
        refused(options, reason, message, { isProven, about });
      if (!token || !account?.enabled) {
        const sentence = "This API token is unknown or was deleted, or its owner may not sign in.";
        throw refuse("revoked", sentence, token !== undefined);
      }
      if (!isAllowedFrom(token, from)) {
        // A holder at another address has no right to the token, and learns nothing about the clock.
        const sentence =
          "This API token does not count from the address that the request comes from, which the device's log has. Send it from one of its ranges, or make another one: `steward token add --from RANGE`.";
        throw refuse("source", sentence, false);
      }
      if (token.suspended) {
        const sentence = `This API token was restored from a backup of another device and is suspended until an administrator resumes it: \`steward token resume ${token.id}\`.`;
        throw refuse("suspended", sentence);
      }
      const isTolerated = apiTokens.isExpired(token);
      const mayMend = isClockTolerant && isClockInDoubt(options);
      if (isTolerated && !(mayMend && apiTokens.secondsSinceUse(token) < toleranceSeconds)) {
        throw refuse("expired", "The API token has expired. Its owner can make a new one.");
      }
      if (!isTolerated) apiTokens.used(token, from);
      const requiredAction = requiredActionOf(account, options.security().require_2fa);
      return { kind: "token", account, requiredAction, token, isTolerated };
    },
  };
}

function timeFault(options: BearerOptions, claims: AccessClaims): StewardError | undefined {
  if (!options.time.isInEpoch(claims.epoch)) {
    return refused(
      options,
      "clock_epoch",
      "The device's clock was set since this access token was made. Exchange the refresh token for a new one; the session continues.",
    );
  }
  if (options.time.nowSeconds() < claims.expiresAt + accessTokenRules.clockTolerance) return undefined;
  return refused(
    options,
    "expired",
    "The access token has expired. Exchange the refresh token for a new one.",
  );
}

/** docs/design/trusted-time.md, rule 6: no tolerance while the clock is trusted and was not stepped within the hour. */
function isClockInDoubt({ time }: BearerOptions): boolean {
  return !time.isTrusted() || time.secondsSinceStep() < toleranceSeconds;
}

/** `isProven`: the token is one of ours, so its sender may learn more about the clock. `about`: of an API token. */
function refused(
  { time }: BearerOptions,
  reason: string,
  message: string,
  { isProven, about }: { isProven: boolean; about?: ErrorDetails["about"] } = { isProven: true },
): StewardError {
  const clock = time.describe({ isProven });
  return new StewardError("invalid_token", message, {
    details: { reason, clock, ...(about !== undefined && { about }) },
  });
}
