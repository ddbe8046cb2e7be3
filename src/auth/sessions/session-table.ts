import type { Document } from "../../store/documents/document.ts";
import { createLookUp } from "../../store/documents/look-up.ts";
import type { SessionsState, StoredSession } from "./session.ts";

/** The stored sessions. Only the living ones are visible. */
export interface SessionTable {
  /** The living session with this id. */
  find(id: string): StoredSession | undefined;
  living(): readonly StoredSession[];
  /** Changes the memory at once and the disk soon; dead sessions are dropped with it. */
  change(next: (living: readonly StoredSession[]) => readonly StoredSession[]): void;
  /** Ends sessions at once in memory, whatever the disk does, and then durably if possible. */
  end(isMeant: (session: StoredSession) => boolean): Promise<void>;
}

export interface SessionTableOptions {
  document: Document<SessionsState>;
  bootId: string;
  /** Seconds of CLOCK_BOOTTIME. */
  uptime: () => number;
}

/** Seconds. New and rotated sessions are written together, at most this often; ended ones at once. */
const writeDelaySeconds = 2;

export function createSessionTable({ document, bootId, uptime }: SessionTableOptions): SessionTable {
  const stored = createLookUp(
    () => document.read().sessions,
    ({ id }) => id,
  );
  const isAlive = (session: StoredSession): boolean => {
    const now = uptime();
    return session.boot_id === bootId && now < session.idle_deadline && now < session.absolute_deadline;
  };
  return {
    find: (id) => {
      const session = stored(id);
      return session && isAlive(session) ? session : undefined;
    },
    living: () => document.read().sessions.filter(isAlive),
    change: (next) => {
      document.note(({ sessions }) => ({ sessions: next(sessions.filter(isAlive)) }), writeDelaySeconds);
    },
    end: async (isMeant) => {
      if (!document.read().sessions.some(isMeant)) return;
      document.note(({ sessions }) => ({ sessions: sessions.filter((one) => !isMeant(one)) }), 0);
      await document.save();
    },
  };
}
