import { sessionId } from "../../contract/schemas/auth.ts";
import { userId } from "../../contract/shapes.ts";
import type { DocumentKind } from "../../store/documents/document-kind.ts";
import { objectOf } from "../../store/validation/object-schema.ts";

/** The beginning of a session's id. */
export const sessionPrefix = "ses_";

/** A signed-in session as stored. Its deadlines are seconds of CLOCK_BOOTTIME, valid only under the boot id they name. */
export interface StoredSession {
  readonly id: string;
  readonly user_id: string;
  readonly boot_id: string;
  readonly created_uptime: number;
  readonly idle_deadline: number;
  readonly absolute_deadline: number;
  /** SHA-256 of the current refresh token. */
  readonly refresh_hash: string;
  /** Exchanges so far. A genuine token with a lower number was used before. */
  readonly generation: number;
  /** The key that signs its tokens, in hexadecimal. */
  readonly refresh_key: string;
  /** SHA-256 of the value without which its token in a cookie does not count; null: its token is in no cookie. */
  readonly binding_hash: string | null;
  /** SHA-256 of the token that was exchanged last; null: a token of the answer has come, so that it was not lost. */
  readonly unanswered_hash: string | null;
  readonly rotated_uptime: number;
  /** SHA-256 of the cookies of the product's pages that it has opened, by their names. */
  readonly pages?: Readonly<Record<string, string>>;
  readonly address: string;
  readonly user_agent: string;
}

export interface SessionsState {
  readonly sessions: readonly StoredSession[];
  /** The key of what documents of the console get (`newBinding`), in hexadecimal; null: none was made. */
  readonly document_key: string | null;
}

const hash = { type: "string", pattern: "^[0-9a-f]{64}$" } as const;
const nullableHash = { ...hash, type: ["string", "null"] } as const;
const number = { type: "number" } as const;

/** Lost sessions cost each user only a sign-in, so the default is none. */
export const sessionsKind: DocumentKind<SessionsState> = {
  name: "sessions",
  formatVersion: "1.0.0",
  schema: objectOf(
    {
      sessions: {
        type: "array",
        items: objectOf(
          {
            id: sessionId,
            user_id: userId,
            boot_id: { type: "string" },
            idle_deadline: number,
            absolute_deadline: number,
            refresh_hash: hash,
            generation: { type: "integer", minimum: 0 },
            refresh_key: hash,
            binding_hash: nullableHash,
          },
          {
            created_uptime: number,
            unanswered_hash: nullableHash,
            rotated_uptime: number,
            address: { type: "string" },
            user_agent: { type: "string" },
            pages: { type: "object", additionalProperties: hash },
          },
        ),
      },
    },
    { document_key: nullableHash },
  ),
  defaults: { sessions: [], document_key: null },
  onLoss: "defaults",
};
