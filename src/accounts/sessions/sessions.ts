import { randomBytes } from "node:crypto";
import type { sessionEnds } from "../../contract/events/sign-in.ts";
import type { Document } from "../../store/documents/document.ts";
import type { SessionClient } from "../request-context.ts";
import { createPageCookies } from "./page-cookies.ts";
import {
  createRefreshExchange,
  keptUserAgent,
  newBinding,
  type OpenedSession,
  type RefreshExchangeOptions,
  type RefreshProof,
  withNextToken,
} from "./refresh-exchange.ts";
import { hashOfToken, newRefreshKey } from "./refresh-token.ts";
import { type SessionsState, type StoredSession, sessionPrefix } from "./session.ts";
import { createSessionTable, type SessionTable } from "./session-table.ts";

/** Signed-in sessions of people, with monotonic deadlines. They survive a restart of the agent, and end at a reboot. */
export type Sessions = ReturnType<typeof createSessions>;

export interface SessionsOptions extends Pick<RefreshExchangeOptions, "uptime" | "onReuse" | "onUnbound"> {
  document: Document<SessionsState>;
  bootId: string;
  /** Seconds, from the settings. */
  limits: () => { idleSeconds: number; absoluteSeconds: number };
  /** Called after a session has ended that neither its user, nor an administrator, nor its time has ended. */
  onEnd: (session: StoredSession, because: SessionEnd) => Promise<void>;
}

type SessionEnd = (typeof sessionEnds)[number];

/** Sessions that a user may have; a new one replaces the one that was unused the longest. */
export const sessionsPerUser = 10;

export function createSessions(options: SessionsOptions) {
  const { uptime } = options;
  const table = createSessionTable(options.document, options.bootId, uptime);
  const idleSeconds = () => options.limits().idleSeconds;
  const list = (userId: string) => lastUsedFirst(table, userId);
  const { exchange, noteUse, sessionOf } = createRefreshExchange({ ...options, table, idleSeconds });
  return {
    find: table.find,
    open: (userId: string, client: SessionClient): OpenedSession => {
      const opened = withNextToken(newSession(options, userId, client));
      const surplus = list(userId).slice(sessionsPerUser - 1);
      table.change((sessions) => [...sessions.filter((one) => !surplus.includes(one)), opened.session]);
      for (const session of surplus) void options.onEnd(session, "replaced");
      return opened;
    },
    /** Binds a session whose token goes into a cookie: its tokens count only with this value, whose hash it keeps. */
    bind: (id: string): string => {
      const binding = newBinding(table.documentKey(), table.find(id)?.user_id ?? id);
      const binding_hash = hashOfToken(binding);
      table.change((sessions) => sessions.map((one) => (one.id === id ? { ...one, binding_hash } : one)));
      return binding;
    },
    /** Exchanges a refresh token. Throws `invalid_token`: reason `expired`, `revoked` or `binding`. */
    refresh: exchange,
    noteUse,
    ...createPageCookies(table, uptime, idleSeconds),
    /** The living sessions of a user, the last used first. */
    list,
    count: (): number => table.living().length,
    /** Ends one session of a user; false when they have none with this id. */
    endOne: async (userId: string, id: string): Promise<boolean> => {
      if (table.find(id)?.user_id !== userId) return false;
      await table.end((one) => one.id === id);
      return true;
    },
    /** Ends a refresh token's session and returns it; an unknown token ends nothing. Throws `invalid_token` (`binding`). */
    close: async (proof: RefreshProof, client: SessionClient): Promise<StoredSession | undefined> => {
      const session = sessionOf(proof, client);
      if (session) await table.end((one) => one.id === session.id);
      return session;
    },
    /** Ends all sessions of a user, or all but one, at once. */
    endAll: (userId: string, exceptId?: string): Promise<void> =>
      table.end((one) => one.user_id === userId && one.id !== exceptId),
    /** Ends all sessions of a user for a reason that no other event gives. */
    endBecause: async (userId: string, because: SessionEnd): Promise<void> => {
      const ended = list(userId);
      await table.end(({ user_id }) => user_id === userId);
      for (const session of ended) await options.onEnd(session, because);
    },
    remaining: (session: StoredSession): { idleSeconds: number; absoluteSeconds: number } => ({
      idleSeconds: Math.max(0, session.idle_deadline - uptime()),
      absoluteSeconds: Math.max(0, session.absolute_deadline - uptime()),
    }),
  };
}

function lastUsedFirst(table: SessionTable, userId: string): readonly StoredSession[] {
  const own = table.living().filter((session) => session.user_id === userId);
  // The one that began last comes first among those that were used at the same moment.
  return own.reverse().sort((a, b) => b.rotated_uptime - a.rotated_uptime);
}

function newSession(
  { uptime, limits, bootId }: SessionsOptions,
  userId: string,
  client: SessionClient,
): StoredSession {
  const now = uptime();
  const { idleSeconds, absoluteSeconds } = limits();
  return {
    id: `${sessionPrefix}${randomBytes(16).toString("hex")}`,
    user_id: userId,
    boot_id: bootId,
    created_uptime: now,
    idle_deadline: now + idleSeconds,
    absolute_deadline: now + absoluteSeconds,
    refresh_hash: "",
    generation: 0,
    refresh_key: newRefreshKey(),
    binding_hash: null,
    unanswered_hash: null,
    rotated_uptime: now,
    address: client.address,
    user_agent: keptUserAgent(client),
  };
}
