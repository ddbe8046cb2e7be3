import type { Uptime } from "../../host/ports.ts";
import type { Document } from "../../store/documents/document.ts";
import { createLookUp } from "../../store/documents/look-up.ts";
import { newRefreshKey } from "./refresh-token.ts";
import type { SessionsState, StoredSession } from "./session.ts";

export type SessionTable = ReturnType<typeof createSessionTable>;

/** Seconds. New and rotated sessions are written together, at most this often; ended ones at once. */
const writeDelaySeconds = 2;

/** The stored sessions. Only the living ones are visible. */
export function createSessionTable(document: Document<SessionsState>, bootId: string, uptime: Uptime) {
  const stored = createLookUp(
    () => document.read().sessions,
    ({ id }) => id,
  );
  const isAlive = (session: StoredSession): boolean => {
    const now = uptime();
    return session.boot_id === bootId && now < session.idle_deadline && now < session.absolute_deadline;
  };
  return {
    /** The living session with this id. */
    find: (id: string): StoredSession | undefined => {
      const session = stored(id);
      return session && isAlive(session) ? session : undefined;
    },
    living: (): readonly StoredSession[] => document.read().sessions.filter(isAlive),
    /** Changes the memory at once and the disk soon; dead sessions are dropped with it. */
    change: (
      next: (living: readonly StoredSession[]) => readonly StoredSession[],
      delaySeconds = writeDelaySeconds,
    ): void => {
      document.note((state) => ({ ...state, sessions: next(state.sessions.filter(isAlive)) }), delaySeconds);
    },
    /** The key of what documents get, in hexadecimal; it is made at its first use. */
    documentKey: (): string => {
      const key = document.read().document_key ?? newRefreshKey();
      document.note((state) => ({ ...state, document_key: key }), writeDelaySeconds);
      return key;
    },
    /** Ends sessions at once in memory, whatever the disk does, and then durably if possible. */
    end: async (isMeant: (session: StoredSession) => boolean): Promise<void> => {
      if (!document.read().sessions.some(isMeant)) return;
      document.note((state) => ({ ...state, sessions: state.sessions.filter((one) => !isMeant(one)) }), 0);
      await document.save();
    },
  };
}
