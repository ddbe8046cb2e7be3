import { createSecretKey, randomBytes } from "node:crypto";
import jsonwebtoken from "jsonwebtoken";
import type { Uptime } from "../../host/ports.ts";
import type { TrustedTime } from "../trusted-time.ts";

export const accessSeconds = 15 * 60;

/** Values that are fixed in every access token, and checked in each (RFC 8725 §3). */
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
export type AccessTokens = ReturnType<typeof createAccessTokens>;

/** The claims of an access token, after its signature and form have been checked. */
export interface AccessClaims {
  readonly subject: string;
  readonly sessionId: string;
  /** Seconds since 1970, by the clock of its epoch. */
  readonly expiresAt: number;
  readonly epoch: number;
  /** Seconds of monotonic time at which it was issued, in this boot: the key does not outlive the process. */
  readonly issuedUptime: number;
}

/** Claims of an access token; undefined for others. jsonwebtoken accepts a token without `exp` and with any `typ`. */
export function readClaims(header: unknown, payload: unknown): AccessClaims | undefined {
  const { typ } = (header ?? {}) as Record<string, unknown>;
  const { sub, sid, exp, iat, epoch, uptime } = (payload ?? {}) as Record<string, unknown>;
  if (typ !== accessTokenRules.type || typeof sub !== "string" || typeof sid !== "string") return undefined;
  if (typeof exp !== "number" || typeof iat !== "number" || exp - iat > accessSeconds) return undefined;
  if (typeof epoch !== "number" || typeof uptime !== "number") return undefined;
  return { subject: sub, sessionId: sid, expiresAt: exp, epoch, issuedUptime: uptime };
}

export function createAccessTokens({
  time,
  uptime,
}: {
  time: Pick<TrustedTime, "nowSeconds" | "epoch">;
  uptime: Uptime;
}) {
  const key = createSecretKey(randomBytes(32));
  return {
    /** 256 random bits made at each start and never written: nothing to steal, and a restart costs one refresh. */
    key,
    issue: (subject: string, sessionId: string): string => {
      const issuedAt = Math.floor(time.nowSeconds());
      const claims = {
        sub: subject,
        sid: sessionId,
        iat: issuedAt,
        exp: issuedAt + accessSeconds,
        epoch: time.epoch(),
        uptime: uptime(),
      };
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
