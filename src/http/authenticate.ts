import type Koa from "koa";
import koaJwt from "koa-jwt";
import { type AccessTokens, accessTokenRules } from "../auth/access-tokens.ts";
import type { Sessions } from "../auth/sessions.ts";
import { StewardError } from "../errors.ts";
import type { Accounts } from "../users/accounts.ts";
import type { Actor } from "./call.ts";

/** Finds out who makes a request. Throws `authentication_required` or `invalid_token`. */
export type Authenticate = (ctx: Koa.Context, isLocal: boolean) => Promise<Actor>;

export interface AuthenticateOptions {
  tokens: AccessTokens;
  sessions: Sessions;
  accounts: Accounts;
  now: () => Date;
}

interface Claims {
  subject: string;
  sessionId: string;
  /** Seconds since the epoch. */
  expiresAt: number;
}

/** Verified tokens remembered; each is some 300 bytes, and a token lives 15 minutes. */
const rememberedTokens = 1_000;

/** Ours have some 400 characters; what is much longer need not be hashed to be refused. */
const maximumTokenCharacters = 4_096;

export function createAuthenticate(options: AuthenticateOptions): Authenticate {
  const verified = createVerifiedTokens(options);
  return async (ctx, isLocal) => {
    const header = ctx.req.headers.authorization;
    if (header === undefined) return isLocal ? { kind: "local-root" } : { kind: "anonymous" };
    const token = /^Bearer ([\x21-\x7e]+)$/i.exec(header)?.[1];
    if (!token) {
      throw new StewardError(
        "authentication_required",
        "The Authorization header must be `Bearer` and an access token.",
      );
    }
    if (token.length > maximumTokenCharacters) {
      throw invalidToken("malformed", "This is not an access token of this device.");
    }
    return actorOf(options, await verified(ctx, token));
  };
}

/** Judged at every request, however the token was verified: expiry, session, user, role. */
function actorOf(options: AuthenticateOptions, claims: Claims): Actor {
  const now = options.now().getTime() / 1_000;
  if (now >= claims.expiresAt + accessTokenRules.clockTolerance) {
    throw invalidToken("expired", "The access token has expired. Exchange the refresh token for a new one.");
  }
  const session = options.sessions.find(claims.sessionId);
  const account = session && options.accounts.find(session.user_id);
  if (!session || !account?.enabled || account.id !== claims.subject) {
    throw invalidToken("revoked", "The session of this access token has ended. Sign in again.");
  }
  return { kind: "user", account, session };
}

/** koa-jwt verifies a token once; verification is most of a request's cost, so the claims of the whole token are remembered. */
function createVerifiedTokens(
  options: AuthenticateOptions,
): (ctx: Koa.Context, token: string) => Promise<Claims> {
  const { algorithms, issuer, audience, clockTolerance } = accessTokenRules;
  const rules = {
    secret: options.tokens.key,
    algorithms: [...algorithms],
    issuer,
    audience,
    clockTolerance,
    complete: true,
    key: "jwt",
    // Read by jsonwebtoken at each verification; a number would stand still, and 0 would mean its own clock.
    get clockTimestamp() {
      return Math.floor(options.now().getTime() / 1_000);
    },
  };
  // koa-jwt's types do not know the options that it hands on to jsonwebtoken.
  const verify = koaJwt(rules as unknown as koaJwt.Options);
  const remembered = new Map<string, Claims>();
  return async (ctx, token) => {
    const known = remembered.get(token);
    if (known) return known;
    try {
      await verify(ctx, async () => undefined);
    } catch (error) {
      throw refusal(error);
    }
    const claims = readClaims(ctx.state.jwt);
    if (remembered.size >= rememberedTokens) {
      for (const oldest of remembered.keys()) {
        remembered.delete(oldest);
        break;
      }
    }
    remembered.set(token, claims);
    return claims;
  };
}

/** jsonwebtoken takes a token without `exp` and any `typ`; we do not. */
function readClaims(decoded: unknown): Claims {
  const { header, payload } = decoded as { header?: { typ?: unknown }; payload?: Record<string, unknown> };
  const { sub, sid, exp } = payload ?? {};
  const isOurs = header?.typ === accessTokenRules.type;
  if (!isOurs || typeof sub !== "string" || typeof sid !== "string" || typeof exp !== "number") {
    throw invalidToken("malformed", "This is not an access token of this device.");
  }
  return { subject: sub, sessionId: sid, expiresAt: exp };
}

function refusal(error: unknown): StewardError {
  const original = error instanceof Error && "originalError" in error ? error.originalError : undefined;
  const { name = "", message = "" } = original instanceof Error ? original : {};
  if (name === "TokenExpiredError") {
    return invalidToken("expired", "The access token has expired. Exchange the refresh token for a new one.");
  }
  if (message === "invalid signature") {
    return invalidToken(
      "signature",
      "The access token was not signed with the key that is in use, which is new at each start of the agent. Exchange the refresh token for a new one.",
    );
  }
  return invalidToken("malformed", "This is not an access token of this device.");
}

function invalidToken(reason: string, message: string): StewardError {
  return new StewardError("invalid_token", message, { details: { reason } });
}
