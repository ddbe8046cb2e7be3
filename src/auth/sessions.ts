import { createHash, randomBytes } from "node:crypto";
import { StewardError } from "../errors.ts";
import type { Document } from "../store/document.ts";
import { createLookUp } from "../store/look-up.ts";
import type { Source } from "../users/passwords.ts";
import type { SessionsState, StoredSession } from "./session.ts";

/** Sign-ins of people, by monotonic deadlines: kept through a restart of the agent, gone at a reboot. */
export interface Sessions {
  open(userId: string, client: Client): Opened;
  /** The living session with this id. */
  find(id: string): StoredSession | undefined;
  /** The living sessions of a user, the last used first. */
  list(userId: string): readonly StoredSession[];
  /** Ends one session of a user; false when he has none with this id. */
  endOne(userId: string, id: string): Promise<boolean>;
  /** Exchanges a refresh token. Throws `invalid_token`: reason `malformed`, `expired` or `revoked`. */
  refresh(refreshToken: string, client: Client): Promise<Opened>;
  /** Ends the session of a refresh token and returns it; a token that is not known ends nothing. */
  close(refreshToken: string): Promise<StoredSession | undefined>;
  /** Ends all sessions of a user, or all but one, at once. */
  endAll(userId: string, exceptId?: string): Promise<void>;
  /** Seconds until the two deadlines. */
  remaining(session: StoredSession): { idleSeconds: number; absoluteSeconds: number };
}

/** Who uses a session, for people who look at their sessions. */
export interface Client {
  /** As people are shown it; `local` on the unix socket. */
  readonly address: string;
  readonly userAgent: string;
}

/** Where a request comes from. */
export interface Origin extends Client {
  /** What its attempts are counted under; null is the device itself, which is never slowed down. */
  readonly source: Source;
  readonly requestId: string;
}

export interface Opened {
  session: StoredSession;
  refreshToken: string;
}

export interface SessionsOptions {
  document: Document<SessionsState>;
  bootId: string;
  /** Seconds of CLOCK_BOOTTIME. */
  uptime: () => number;
  /** Seconds, from the settings. */
  limits: () => { idleSeconds: number; absoluteSeconds: number };
  /** Told when a session was ended because its used refresh token came again. */
  onReuse: (session: StoredSession, client: Client) => Promise<void>;
}

/** Sessions a user may have; the one longest unused makes room for the next. */
const sessionsPerUser = 10;

/** New and rotated sessions are written together, at most this often; ended ones at once. */
const writeDelaySeconds = 2;

/** An exchange whose answer was lost may be repeated for so long, and yields the same successor. */
const repeatSeconds = 10;
const repeatsAllowed = 2;

interface Repeat {
  successor: string;
  until: number;
  uses: number;
  client: Client;
}

export function createSessions(options: SessionsOptions): Sessions {
  const { document, uptime } = options;
  const repeats = new Map<string, Repeat>();
  const stored = createLookUp(
    () => document.read().sessions,
    ({ id }) => id,
  );
  const find = (id: string): StoredSession | undefined => {
    const session = stored(id);
    return session && isAlive(options, session) ? session : undefined;
  };
  return {
    find,
    open: (userId, client) => {
      const refreshToken = newRefreshToken();
      const session = newSession(options, userId, refreshToken, client);
      store(options, (sessions) => [...withoutOldest(sessions, userId), session]);
      return { session, refreshToken };
    },
    refresh: (refreshToken, client) => exchange(options, repeats, refreshToken, client),
    list: (userId) =>
      document
        .read()
        .sessions.filter((session) => session.user_id === userId && isAlive(options, session))
        .sort((a, b) => b.rotated_uptime - a.rotated_uptime),
    endOne: async (userId, id) => {
      if (find(id)?.user_id !== userId) return false;
      await end(options, (one) => one.id === id);
      return true;
    },
    close: async (refreshToken) => {
      const session = byToken(options, hashOf(refreshToken));
      if (session) await end(options, (one) => one.id === session.id);
      return session;
    },
    endAll: (userId, exceptId) => end(options, (one) => one.user_id === userId && one.id !== exceptId),
    remaining: (session) => ({
      idleSeconds: Math.max(0, session.idle_deadline - uptime()),
      absoluteSeconds: Math.max(0, session.absolute_deadline - uptime()),
    }),
  };
}

/** The living session that this token is, or was until the last exchange, the refresh token of. */
function byToken(options: SessionsOptions, hash: string): StoredSession | undefined {
  const isMeant = (one: StoredSession) => one.refresh_hash === hash || one.previous_hash === hash;
  return options.document.read().sessions.find((one) => isMeant(one) && isAlive(options, one));
}

async function exchange(
  options: SessionsOptions,
  repeats: Map<string, Repeat>,
  refreshToken: string,
  client: Client,
): Promise<Opened> {
  const hash = hashOf(refreshToken);
  const session = byToken(options, hash);
  if (!session) throw refusedRefresh("expired", "The session has ended. Sign in again.");
  if (session.refresh_hash !== hash) return repeated(options, session, repeats.get(hash), client);
  const successor = newRefreshToken();
  const rotated = rotate(options, session, hashOf(successor), client);
  forgetOld(repeats, options.uptime());
  repeats.set(hash, { successor, until: options.uptime() + repeatSeconds, uses: 0, client });
  store(options, (sessions) => sessions.map((one) => (one.id === rotated.id ? rotated : one)));
  return { session: rotated, refreshToken: successor };
}

function isAlive({ bootId, uptime }: SessionsOptions, session: StoredSession): boolean {
  const now = uptime();
  return session.boot_id === bootId && now < session.idle_deadline && now < session.absolute_deadline;
}

/** In memory at once; dead sessions go on the way. */
function store(
  options: SessionsOptions,
  change: (sessions: readonly StoredSession[]) => readonly StoredSession[],
): void {
  const living = (sessions: readonly StoredSession[]) => sessions.filter((one) => isAlive(options, one));
  options.document.note((state) => ({ sessions: change(living(state.sessions)) }), writeDelaySeconds);
}

/** At once in memory, whatever the disk does, and then durably where it can be. */
async function end(
  { document }: SessionsOptions,
  isMeant: (session: StoredSession) => boolean,
): Promise<void> {
  if (!document.read().sessions.some(isMeant)) return;
  document.note(({ sessions }) => ({ sessions: sessions.filter((one) => !isMeant(one)) }), 0);
  await document.save();
}

/** RFC 9700 §4.14.2: reuse of an exchanged token ends the session, except to repeat an answer that was lost. */
async function repeated(
  options: SessionsOptions,
  session: StoredSession,
  repeat: Repeat | undefined,
  client: Client,
): Promise<Opened> {
  const isSameCaller =
    repeat?.client.address === client.address && repeat.client.userAgent === client.userAgent;
  if (repeat && isSameCaller && options.uptime() < repeat.until && repeat.uses < repeatsAllowed) {
    repeat.uses += 1;
    return { session, refreshToken: repeat.successor };
  }
  await end(options, (one) => one.id === session.id);
  await options.onReuse(session, client);
  throw refusedRefresh(
    "revoked",
    "This refresh token was used before. Somebody may have a copy, so the session was ended. Sign in again.",
  );
}

function newSession(
  options: SessionsOptions,
  userId: string,
  refreshToken: string,
  client: Client,
): StoredSession {
  const now = options.uptime();
  const { idleSeconds, absoluteSeconds } = options.limits();
  return {
    id: `ses_${randomBytes(16).toString("hex")}`,
    user_id: userId,
    boot_id: options.bootId,
    created_uptime: now,
    idle_deadline: now + idleSeconds,
    absolute_deadline: now + absoluteSeconds,
    refresh_hash: hashOf(refreshToken),
    previous_hash: null,
    rotated_uptime: now,
    address: client.address,
    user_agent: client.userAgent.slice(0, 256),
  };
}

function rotate(
  options: SessionsOptions,
  session: StoredSession,
  hash: string,
  client: Client,
): StoredSession {
  const now = options.uptime();
  return {
    ...session,
    idle_deadline: now + options.limits().idleSeconds,
    refresh_hash: hash,
    previous_hash: session.refresh_hash,
    rotated_uptime: now,
    address: client.address,
    user_agent: client.userAgent.slice(0, 256),
  };
}

function withoutOldest(sessions: readonly StoredSession[], userId: string): readonly StoredSession[] {
  const own = sessions.filter((session) => session.user_id === userId);
  const surplus = own
    .sort((a, b) => a.rotated_uptime - b.rotated_uptime)
    .slice(0, Math.max(0, own.length - sessionsPerUser + 1));
  return sessions.filter((session) => !surplus.includes(session));
}

function forgetOld(repeats: Map<string, Repeat>, now: number): void {
  for (const [hash, repeat] of repeats) if (now >= repeat.until) repeats.delete(hash);
}

function newRefreshToken(): string {
  return `str_${randomBytes(32).toString("base64url")}`;
}

function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

function refusedRefresh(reason: string, message: string): StewardError {
  return new StewardError("invalid_token", message, { details: { reason } });
}
