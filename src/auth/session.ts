import { sessionId } from "../contract/auth.ts";
import { userId } from "../contract/shapes.ts";
import type { DocumentKind } from "../store/document-kind.ts";

/**
 * A signed-in session as it is stored. Its deadlines are seconds of CLOCK_BOOTTIME, which no step of the wall clock
 * moves; they mean something only under the boot id that they were made in.
 */
export interface StoredSession {
  readonly id: string;
  readonly user_id: string;
  readonly boot_id: string;
  readonly created_uptime: number;
  readonly idle_deadline: number;
  readonly absolute_deadline: number;
  /** SHA-256 of the refresh token that is good now. */
  readonly refresh_hash: string;
  /** SHA-256 of the one before; its later use means that somebody has a copy. */
  readonly previous_hash: string | null;
  readonly rotated_uptime: number;
  readonly address: string;
  readonly user_agent: string;
}

export interface SessionsState {
  readonly sessions: readonly StoredSession[];
}

const hash = { type: "string", pattern: "^[0-9a-f]{64}$" } as const;
const number = { type: "number" } as const;

/** Lost sessions cost each user a sign-in and nothing else, so they may be made up as none. */
export const sessionsKind: DocumentKind<SessionsState> = {
  name: "sessions",
  formatVersion: "1.0.0",
  schema: {
    type: "object",
    additionalProperties: false,
    required: ["sessions"],
    properties: {
      sessions: {
        type: "array",
        items: {
          type: "object",
          additionalProperties: false,
          required: ["id", "user_id", "boot_id", "idle_deadline", "absolute_deadline", "refresh_hash"],
          properties: {
            id: sessionId,
            user_id: userId,
            boot_id: { type: "string" },
            created_uptime: number,
            idle_deadline: number,
            absolute_deadline: number,
            refresh_hash: hash,
            previous_hash: { ...hash, type: ["string", "null"] },
            rotated_uptime: number,
            address: { type: "string" },
            user_agent: { type: "string" },
          },
        },
      },
    },
  },
  defaults: { sessions: [] },
  onLoss: "defaults",
};
