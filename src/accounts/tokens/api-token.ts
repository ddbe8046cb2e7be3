import { randomBytes } from "node:crypto";
import { apiToken, pageList, sha256, sourceList, tokenId } from "../../contract/schemas/tokens.ts";
import { timestamp, userId } from "../../contract/shapes.ts";
import type { DocumentKind } from "../../store/documents/document-kind.ts";
import { objectOf } from "../../store/validation/object-schema.ts";
import type { TokenRights } from "./token-rights.ts";

/** An API token as it is stored: only its hash. */
export interface StoredApiToken extends TokenRights {
  readonly id: string;
  readonly user_id: string;
  readonly name: string;
  /** SHA-256; the token has 256 random bits, so its hash cannot be guessed at. */
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
  /** It is refused until an administrator resumes it. */
  readonly suspended: boolean;
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

export function suspended(token: StoredApiToken): StoredApiToken {
  return { ...token, suspended: true };
}

export function resumed(token: StoredApiToken): StoredApiToken {
  return { ...token, suspended: false };
}

const { name } = apiToken.properties;
const nullableText = { type: ["string", "null"] } as const;

/** Lost tokens cost their owners only new ones, so the default is none. */
export const apiTokensKind: DocumentKind<ApiTokensState> = {
  name: "tokens",
  formatVersion: "1.0.0",
  schema: objectOf({
    tokens: {
      type: "array",
      items: objectOf(
        {
          id: tokenId,
          user_id: userId,
          name,
          // Unknown scopes of another release are kept, but grant nothing.
          scopes: { type: "array", items: { type: "string", maxLength: 64 }, uniqueItems: true },
          hash: sha256,
          created_at: timestamp,
          lifetime_seconds: { type: "number", minimum: 1 },
          expires_at: timestamp,
          is_dated: { type: "boolean" },
          is_dead: { type: "boolean" },
          last_used_at: nullableText,
          last_used_from: nullableText,
          sources: sourceList,
          is_fleet: { type: "boolean" },
          suspended: { type: "boolean" },
        },
        { replaces: tokenId, pages: pageList },
      ),
    },
    provisioned: { oneOf: [{ type: "null" }, sha256] },
  }),
  defaults: { tokens: [], provisioned: null },
  onLoss: "defaults",
};
