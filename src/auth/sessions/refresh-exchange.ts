import { randomBytes, timingSafeEqual } from "node:crypto";
import { StewardError } from "../../contract/errors.ts";
import type { SessionClient } from "../request-context.ts";
import { createTimedTable } from "../timed-table.ts";
import { hashOfToken, makeRefreshToken, readRefreshToken } from "./refresh-token.ts";
import type { StoredSession } from "./session.ts";
import type { SessionTable } from "./session-table.ts";

export interface OpenedSession {
  session: StoredSession;
  refreshToken: string;
}

/** The refresh tokens of a request. */
export interface RefreshProof {
  /** The one in the body, or all cookies of our name: of two cookies one was planted. */
  readonly tokens: readonly string[];
  readonly isInCookie: boolean;
  /** The value of the X-Refresh-Binding header. */
  readonly binding: string | undefined;
}

/** A session, and the place of this token in it. */
interface Held {
  readonly session: StoredSession;
  readonly hash: string;
  /** The token was exchanged before. */
  readonly isSpent: boolean;
}

interface Repeat {
  successor: string;
  uses: number;
  client: SessionClient;
}

export interface RefreshExchangeOptions {
  table: SessionTable;
  /** Seconds of CLOCK_BOOTTIME. */
  uptime: () => number;
  idleSeconds: () => number;
  /** Called after a session was ended because its used refresh token came again. */
  onReuse: (session: StoredSession, client: SessionClient) => Promise<void>;
  /** Called when a genuine token came without the value that belongs to it. The session goes on. */
  onUnbound: (session: StoredSession, client: SessionClient) => void;
}

/** Seconds in which an exchange whose answer was lost may be repeated. It returns the same successor. */
const repeatSeconds = 10;
const repeatsAllowed = 2;

/** Exchanges refresh tokens, and finds a token's session. */
export function createRefreshExchange(options: RefreshExchangeOptions) {
  const { table, uptime } = options;
  const repeats = createTimedTable<Repeat>({ seconds: repeatSeconds, uptime });
  return {
    /** The living session of the token; undefined for an unknown token. Throws `invalid_token`: reason `binding`. */
    sessionOf: (proof: RefreshProof, client: SessionClient): StoredSession | undefined =>
      heldBy(options, proof, client)?.session,
    /** Throws `invalid_token`: reason `expired`, `revoked` or `binding`. */
    exchange: async (proof: RefreshProof, client: SessionClient): Promise<OpenedSession> => {
      const held = heldBy(options, proof, client);
      if (!held) throw refused("expired", "The session has ended. Sign in again.");
      if (held.isSpent) return repeated(options, held, repeats.get(held.hash), client);
      const opened = rotate(options, held.session, client);
      repeats.put(held.hash, { successor: opened.refreshToken, uses: 0, client });
      table.change((sessions) =>
        sessions.map((one) => (one.id === opened.session.id ? opened.session : one)),
      );
      return opened;
    },
  };
}

/** A value of 128 random bits that a browser keeps and sends with its cookie. */
export function newBinding(): string {
  return `srb_${randomBytes(16).toString("base64url")}`;
}

/** The state that a session's first and each further token leave in it. */
export function withNextToken(session: StoredSession): OpenedSession {
  const generation = session.generation + 1;
  const refreshToken = makeRefreshToken(session.refresh_key, session.id, generation);
  return { session: { ...session, generation, refresh_hash: hashOfToken(refreshToken) }, refreshToken };
}

/**
 * The token that counts. A token in a cookie counts only for the page that got it, so a planted cookie counts for none.
 */
function heldBy(
  options: RefreshExchangeOptions,
  proof: RefreshProof,
  client: SessionClient,
): Held | undefined {
  const known = proof.tokens.flatMap((token) => holdersOf(options.table, token));
  const bound = known.filter(({ session }) => isBound(session, proof));
  const held = bound.find(({ isSpent }) => !isSpent) ?? bound[0];
  const [unbound] = known;
  if (held || !unbound) return held;
  options.onUnbound(unbound.session, client);
  throw refused(
    "binding",
    "The cookie with the refresh token does not belong to this page: the X-Refresh-Binding header is missing or another sign-in's. Another program on this host may have set or copied the cookie. Sign in again.",
  );
}

/** The living session whose token this is or was. */
function holdersOf(table: SessionTable, token: string): Held[] {
  const read = readRefreshToken(token);
  const session = read && table.find(read.sessionId);
  if (!session) return [];
  const hash = hashOfToken(token);
  if (session.refresh_hash === hash) return [{ session, hash, isSpent: false }];
  const isOlder = read.isSignedWith(session.refresh_key) && read.generation <= session.generation;
  return isOlder ? [{ session, hash, isSpent: true }] : [];
}

/** Cookies are shared by all ports of a host; the page's storage, which has the value, is not. */
function isBound({ binding_hash }: StoredSession, { isInCookie, binding }: RefreshProof): boolean {
  if (binding_hash === null) return !isInCookie;
  if (binding === undefined) return false;
  return timingSafeEqual(Buffer.from(hashOfToken(binding)), Buffer.from(binding_hash));
}

/**
 * RFC 9700 §4.14.2: the reuse of an exchanged token ends the session, unless it repeats an exchange with a lost answer.
 */
async function repeated(
  { table, onReuse }: RefreshExchangeOptions,
  { session }: Held,
  repeat: Repeat | undefined,
  client: SessionClient,
): Promise<OpenedSession> {
  if (repeat && isRepeatable(repeat, session, client)) {
    repeat.uses += 1;
    return { session, refreshToken: repeat.successor };
  }
  await table.end((one) => one.id === session.id);
  await onReuse(session, client);
  throw refused(
    "revoked",
    "This refresh token was used before, so a copy of it may exist, and the session was ended. Sign in again.",
  );
}

function isRepeatable(
  { successor, uses, client: first }: Repeat,
  session: StoredSession,
  again: SessionClient,
) {
  const isSameCaller = first.address === again.address && first.userAgent === again.userAgent;
  return isSameCaller && uses < repeatsAllowed && session.refresh_hash === hashOfToken(successor);
}

function rotate(
  { uptime, idleSeconds }: RefreshExchangeOptions,
  session: StoredSession,
  client: SessionClient,
): OpenedSession {
  const now = uptime();
  const used = {
    ...session,
    idle_deadline: now + idleSeconds(),
    rotated_uptime: now,
    address: client.address,
    user_agent: client.userAgent.slice(0, 256),
  };
  return withNextToken(used);
}

function refused(reason: string, message: string): StewardError {
  return new StewardError("invalid_token", message, { details: { reason } });
}
