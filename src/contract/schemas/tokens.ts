import { duration } from "../durations.ts";
import { scopeNames } from "../scopes.ts";
import { nullableTimestamp, partialObject, strictObject, timestamp, userId, username } from "../shapes.ts";
import { displayName } from "../text/visible-text.ts";
import { listOf, pageOf } from "./lists.ts";

export const tokenId = {
  type: "string",
  pattern: "^tok_[0-9a-f]{32}$",
  "x-expected": "the id of an API token, which begins with tok_",
} as const;

export const sha256 = {
  type: "string",
  pattern: "^[0-9a-f]{64}$",
  "x-expected": "the 64 hex digits of a SHA-256",
} as const;

const scopes = { type: "array", items: { type: "string", enum: scopeNames }, uniqueItems: true } as const;

/** Addresses and CIDR ranges; their values are judged where they are used. */
export const sourceList = {
  type: "array",
  items: { type: "string", maxLength: 64 },
  maxItems: 32,
  uniqueItems: true,
} as const;

/** Pages of the product, as the host file names them. None would read as "all", so that it is refused. */
export const pageList = {
  type: "array",
  items: { type: "string", maxLength: 32 },
  minItems: 1,
  maxItems: 8,
  uniqueItems: true,
  description: "the pages of the product that it counts at (`product:use`); absent: all",
} as const;

export const scopeList = { ...scopes, minItems: 1 } as const;

export const apiToken = strictObject(
  {
    id: tokenId,
    name: displayName,
    user_id: userId,
    username,
    scopes: { ...scopes, description: "the token can do what these scopes and its owner's role both allow" },
    created_at: timestamp,
    expires_at: timestamp,
    is_expired: { type: "boolean" },
    last_used_at: { ...nullableTimestamp, description: "accurate to a quarter of an hour; null: never" },
    last_used_from: { type: ["string", "null"] },
    is_fleet: {
      type: "boolean",
      description:
        "root made it for a fleet: it also writes settings of administrators (`system:write`) and users (`users:write`)",
    },
    sources: { type: "array", items: { type: "string" }, description: "ranges it counts from; none: any" },
    no_expiry: { type: "boolean", description: "true: it has no end, and `expires_at` is the year 9999" },
    is_suspended: { type: "boolean", description: "restored from another device's backup, and not resumed" },
    pages: pageList,
  },
  ["pages"],
);

export const createToken = strictObject(
  {
    name: { ...displayName, minLength: 1, description: "a name that says what the token is for" },
    scopes: scopeList,
    user_id: { ...userId, description: "the owner, if local root makes the token; absent: the caller" },
    expires_in: { ...duration, default: "90d", description: "1h to 366d" },
    is_fleet: {
      type: "boolean",
      description:
        "only for local root: a token for a fleet, which needs `sources` and an administrator as its owner",
    },
    sources: { ...sourceList, description: "only for local root: addresses and ranges that it counts from" },
    no_expiry: { type: "boolean", description: "only for local root, and for scopes that only read" },
    pages: pageList,
  },
  ["user_id", "expires_in", "is_fleet", "sources", "no_expiry", "pages"],
);

export const rotateToken = partialObject({
  overlap: { ...duration, default: "24h", description: "how long the former token stays valid: 0s to 30d" },
});

/** The longest time for which two tokens of one program are valid, in seconds. */
export const longestOverlapSeconds = 30 * 86_400;

/** Bounds of a token's life, in seconds. */
export const tokenLifeSeconds = { shortest: 60 * 60, longest: 366 * 86_400, usual: 90 * 86_400 } as const;

/** The token itself is in the answer to its creation and nowhere else. */
export const createdToken = strictObject({ ...apiToken.properties, token: { type: "string" } }, ["pages"]);

export const tokensQuery = partialObject({
  user_id: { ...userId, description: "whose tokens; absent: the caller's own, for an administrator all" },
  ...pageOf(200),
});

export const tokenList = listOf(apiToken, "in the order of their creation");

/** The names of these shapes in the OpenAPI document. */
export const tokenShapes = () =>
  ({
    TokenId: tokenId,
    Scope: apiToken.properties.scopes.items,
    ApiToken: apiToken,
    ApiTokenList: tokenList,
    NewApiToken: createToken,
    TokenRotation: rotateToken,
    CreatedApiToken: createdToken,
  }) as const;

export const tokenExamples = {
  TokenRotation: { overlap: "1h" },
  NewApiToken: { name: "monitoring", scopes: ["system:read", "metrics:read"], expires_in: "90d" },
};
