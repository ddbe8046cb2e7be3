import type Koa from "koa";
import koaJwt from "koa-jwt";
import {
  type AccessClaims,
  type AccessTokens,
  accessTokenRules,
  readClaims,
} from "../accounts/tokens/access-tokens.ts";
import type { Bearer } from "../accounts/tokens/bearer.ts";
import { StewardError } from "../contract/errors.ts";
import type { Actor } from "./call.ts";

/** Identifies the caller. Throws `authentication_required` or `invalid_token`. */
export type Authenticate = (ctx: Koa.Context, facts: RequestFacts) => Promise<Actor>;

export interface RequestFacts {
  readonly isLocal: boolean;
  /** The client's address, as events show it. */
  readonly address: string;
  /** The operation may be called with a token in which only the times are wrong. */
  readonly isClockTolerant: boolean;
  /** The request began with a valid token: an access token may end meanwhile, but not its session. */
  readonly hasBegun?: boolean;
}

/** Verified tokens in the cache: more than people who work at a time. Each entry holds the whole header it came in. */
const rememberedTokens = 200;

/** Our tokens have some 400 characters; a much longer one is refused without hashing it. */
const maximumTokenCharacters = 4_096;

export function createAuthenticate(tokens: AccessTokens, bearer: Bearer): Authenticate {
  const verified = createVerifiedTokens(tokens);
  return async (ctx, { isLocal, address, isClockTolerant, hasBegun }) => {
    const header = ctx.req.headers.authorization;
    if (header === undefined) return isLocal ? { kind: "local-root" } : { kind: "anonymous" };
    const token = /^Bearer ([\x21-\x7e]+)$/i.exec(header)?.[1];
    if (!token) {
      throw new StewardError(
        "authentication_required",
        "The Authorization header must be `Bearer` and a token.",
      );
    }
    if (token.length > maximumTokenCharacters) {
      throw invalidToken("malformed", "This is not an access token of this device.");
    }
    if (token.startsWith("stw_")) return bearer.program(token, isClockTolerant, address);
    // No await for a cached token: it would cost each request a turn of the microtasks.
    const claims = verified.known(token) ?? (await verified.verify(ctx, token));
    return bearer.person(claims, isClockTolerant, hasBegun);
  };
}

/** koa-jwt verifies each token once: that costs most of a request, so the claims of the latest `most` are cached. */
export function createVerifiedTokens({ key }: AccessTokens, most = rememberedTokens) {
  const { algorithms, issuer, audience } = accessTokenRules;
  const rules = {
    secret: key,
    algorithms: [...algorithms],
    issuer,
    audience,
    complete: true,
    key: "jwt",
    // The times in a token are checked at every request, since the clock may change; here only the rest.
    ignoreExpiration: true,
    ignoreNotBefore: true,
  };
  let verify: Koa.Middleware | undefined;
  const remembered = new Map<string, AccessClaims>();
  return {
    known: (token: string): AccessClaims | undefined => remembered.get(token),
    /** Throws `invalid_token`. */
    verify: async (ctx: Koa.Context, token: string): Promise<AccessClaims> => {
      // The first token loads koa-jwt, whose types lack the options that it passes on to jsonwebtoken.
      verify ??= koaJwt(rules as unknown as koaJwt.Options);
      try {
        await verify(ctx, async () => undefined);
      } catch (error) {
        throw refusal(error);
      }
      const { header, payload } = ctx.state.jwt as { header?: unknown; payload?: unknown };
      const claims = readClaims(header, payload);
      if (!claims) throw invalidToken("malformed", "This is not an access token of this device.");
      const [oldest] = remembered.size >= most ? remembered.keys() : [];
      if (oldest !== undefined) remembered.delete(oldest);
      remembered.set(token, claims);
      return claims;
    },
  };
}

function refusal(error: unknown): StewardError {
  const original = error instanceof Error && "originalError" in error ? error.originalError : undefined;
  const message = original instanceof Error ? original.message : "";
  if (message === "invalid signature") {
    return invalidToken(
      "signature",
      "The access token was not signed with the current key, which is new at each start of the agent. Exchange the refresh token for a new access token.",
    );
  }
  return invalidToken("malformed", "This is not an access token of this device.");
}

function invalidToken(reason: string, message: string): StewardError {
  return new StewardError("invalid_token", message, { details: { reason } });
}
