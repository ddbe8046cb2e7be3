import { createHash, randomBytes } from "node:crypto";
import { apiToken, sourceList, tokenHash, tokenId } from "../../contract/schemas/tokens.ts";
import type { Scope } from "../../contract/scopes.ts";
import { timestamp, userId } from "../../contract/shapes.ts";
import type { DocumentKind } from "../../store/documents/document-kind.ts";
import type { TokenRights } from "./token-rights.ts";

/** An API token as it is stored: only its hash. */
export interface StoredApiToken {
  readonly id: string;
  readonly user_id: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** SHA-256; the token has 256 random bits, so its hash cannot be guessed at. Of a suspended one `suspendedHash`. */
  readonly hash: string;
  readonly created_at: string;
  readonly lifetime_seconds: number;
  readonly expires_at: string;
  /** False while the clock has not been trusted since the token was made: its lifetime begins with the first trust. */
  readonly is_dated: boolean;
  /** It expired while the clock was trusted: no clock makes it valid again. */
  readonly is_dead: boolean;
  readonly last_used_at: string | null;
  readonly last_used_from: string | null;
  /**
   * The rights of a token that root made with source ranges or for a fleet; then `scopes` is empty (token-rights.ts).
   */
  readonly restricted: TokenRights | null;
  /** The hash that a suspended token gets back when an administrator resumes it; null: it is not suspended. */
  readonly suspended: string | null;
  /** The id of the token that it was made to succeed. */
  readonly replaces?: string;
}

export interface ApiTokensState {
  readonly tokens: readonly StoredApiToken[];
  /** The hash of the token from the credential steward.token: once deleted, it is not made again. */
  readonly provisioned: string | null;
}

/** A new token's text, which is stored nowhere. */
export function newTokenText(): string {
  return `stw_${randomBytes(32).toString("base64url")}`;
}

export function newTokenId(): string {
  return `tok_${randomBytes(16).toString("hex")}`;
}

/** The hash of the token's text, whether the token is suspended or not. */
export function ownHashOf({ hash, suspended }: Pick<StoredApiToken, "hash" | "suspended">): string {
  return suspended ?? hash;
}

/** The stored hash of a suspended token. No text has it, so an earlier release, which knows no suspension, refuses it. */
export function suspendedHash(hash: string): string {
  return createHash("sha256").update(`suspended ${hash}`).digest("hex");
}

export function suspended(token: StoredApiToken): StoredApiToken {
  if (token.suspended !== null) return token;
  return { ...token, hash: suspendedHash(token.hash), suspended: token.hash };
}

export function resumed(token: StoredApiToken): StoredApiToken {
  return { ...token, hash: ownHashOf(token), suspended: null };
}

const { name } = apiToken.properties;
/** Unknown scopes of another release are kept, but grant nothing. */
const storedScopes = { type: "array", items: { type: "string", maxLength: 64 }, uniqueItems: true } as const;
const nullableText = { type: ["string", "null"] } as const;

/** Lost tokens cost their owners only new ones, so the default is none. */
export const apiTokensKind: DocumentKind<ApiTokensState> = {
  name: "tokens",
  formatVersion: "1.0.0",
  schema: {
    type: "object",
    additionalProperties: false,
    required: ["tokens", "provisioned"],
    properties: {
      tokens: {
        type: "array",
        items: {
          type: "object",
          additionalProperties: false,
          required: [
            "id",
            "user_id",
            "name",
            "scopes",
            "hash",
            "created_at",
            "lifetime_seconds",
            "expires_at",
            "is_dated",
            "is_dead",
            "last_used_at",
            "last_used_from",
            "restricted",
            "suspended",
          ],
          properties: {
            id: tokenId,
            user_id: userId,
            name,
            scopes: storedScopes,
            hash: tokenHash,
            created_at: timestamp,
            lifetime_seconds: { type: "number", minimum: 1 },
            expires_at: timestamp,
            is_dated: { type: "boolean" },
            is_dead: { type: "boolean" },
            last_used_at: nullableText,
            last_used_from: nullableText,
            restricted: {
              oneOf: [
                { type: "null" },
                {
                  type: "object",
                  additionalProperties: false,
                  required: ["scopes", "sources", "is_fleet"],
                  properties: { scopes: storedScopes, sources: sourceList, is_fleet: { type: "boolean" } },
                },
              ],
            },
            suspended: { oneOf: [{ type: "null" }, tokenHash] },
            replaces: tokenId,
          },
        },
      },
      provisioned: { oneOf: [{ type: "null" }, tokenHash] },
    },
  },
  defaults: { tokens: [], provisioned: null },
  onLoss: "defaults",
};
