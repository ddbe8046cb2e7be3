import { createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import jsonwebtoken from "jsonwebtoken";

/** How long an access token is good for, in seconds. */
export const accessSeconds = 15 * 60;

/** What is pinned in every access token and asked of it again (RFC 8725 §3). */
export const accessTokenRules = {
  algorithms: ["HS256"],
  issuer: "steward",
  audience: "steward-api",
  /** `typ` of the header, so that no other JWT is taken for an access token (RFC 9068 §2.1). */
  type: "at+jwt",
  /** Seconds of leeway for `exp`. */
  clockTolerance: 60,
} as const;

/** Issues access tokens; koa-jwt checks them with the same key and rules. */
export interface AccessTokens {
  /** 256 random bits made at each start and never written: nothing to steal, and a restart costs one refresh. */
  readonly key: KeyObject;
  issue(subject: string, sessionId: string): string;
}

export function createAccessTokens(now: () => Date): AccessTokens {
  const key = createSecretKey(randomBytes(32));
  return {
    key,
    issue: (subject, sessionId) => {
      const issuedAt = Math.floor(now().getTime() / 1_000);
      const claims = { sub: subject, sid: sessionId, iat: issuedAt, exp: issuedAt + accessSeconds };
      return jsonwebtoken.sign(claims, key, {
        algorithm: accessTokenRules.algorithms[0],
        issuer: accessTokenRules.issuer,
        audience: accessTokenRules.audience,
        header: { alg: accessTokenRules.algorithms[0], typ: accessTokenRules.type },
        jwtid: randomBytes(8).toString("base64url"),
      });
    },
  };
}
