import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { StewardError } from "../../contract/errors.ts";
import type { Uptime } from "../../host/ports.ts";
import type { SessionClient } from "../request-context.ts";
import { clientKeyOf } from "../throttle/client-key.ts";
import { createTimedTable } from "../timed-table.ts";
import { hashOfToken, makeRefreshToken, readRefreshToken } from "./refresh-token.ts";
import type { StoredSession } from "./session.ts";
import type { SessionTable } from "./session-table.ts";

export interface OpenedSession {
  session: StoredSession;
  refreshToken: string;
}

export interface RefreshProof {
  /** The one in the body, or all cookies of our name: of two cookies one was planted. */
  readonly tokens: readonly string[];
  readonly isInCookie: boolean;
  /** The value of the X-Refresh-Binding header. */
  readonly binding: string | undefined;
}

interface TokenHolder {
  readonly session: StoredSession;
  readonly hash: string;
  /** The token was exchanged before. */
  readonly isSpent: boolean;
}

export interface RefreshExchangeOptions {
  table: SessionTable;
  uptime: Uptime;
  idleSeconds: () => number;
  /** Called after a session was ended because its used refresh token came again. */
  onReuse: (session: StoredSession, client: SessionClient) => Promise<void>;
  /** Called when a genuine token came without the value that belongs to it. The session goes on. */
  onUnbound: (session: StoredSession, client: SessionClient) => void;
}

/** Seconds in which a repeated exchange returns the same successor: pages may ask at once, and one cookie stays. */
const sameAnswerSeconds = 10;

export function createRefreshExchange(options: RefreshExchangeOptions) {
  const { table, uptime } = options;
  /** The successors that were just given out, by the hash of the token that was exchanged. */
  const successors = createTimedTable<string>({ seconds: sameAnswerSeconds, uptime });
  return {
    /** The living session of the token; undefined for an unknown token. Throws `invalid_token`: reason `binding`. */
    sessionOf: (proof: RefreshProof, client: SessionClient): StoredSession | undefined =>
      holderOf(options, proof, client)?.session,
    /** Throws `invalid_token`: reason `expired`, `revoked` or `binding`. */
    exchange: async (proof: RefreshProof, client: SessionClient): Promise<OpenedSession> => {
      const held = holderOf(options, proof, client);
      if (!held) throw refused("expired", "The session has ended. Sign in again.");
      const { session, hash } = held;
      if (held.isSpent) {
        const successor = successors.get(hash);
        const isCurrent = successor !== undefined && session.refresh_hash === hashOfToken(successor);
        if (isCurrent && isSameClient(session, client)) return { session, refreshToken: successor };
        if (!isUnanswered(held, client)) throw await endedAsCopied(options, session, client);
      }
      const opened = rotate(options, held, client);
      successors.put(hash, opened.refreshToken);
      table.change((sessions) =>
        sessions.map((one) => (one.id === opened.session.id ? opened.session : one)),
      );
      return opened;
    },
    /** Notes a use of an access token that was issued at this uptime: that of the last answer shows that it has arrived. */
    noteUse: (session: StoredSession, issuedUptime: number): void => {
      if (session.unanswered_hash === null || issuedUptime < session.rotated_uptime) return;
      table.change((sessions) =>
        sessions.map((one) => (one.id === session.id ? { ...one, unanswered_hash: null } : one)),
      );
    },
  };
}

/**
 * The value that comes with a cookie, in two parts. `srb_` and 128 random bits are for the page's storage, which is
 * separate for each port of a host, as cookies are not. Pages of other programs below a path of the same port read that
 * storage too, so the rest, 132 bits, is for documents only (`refresh-cookie.ts`). It is the same for all sign-ins of a
 * user: tabs in which the former session has ended take the next one up.
 */
export function newBinding(documentKey: string, userId: string): string {
  const ofDocuments = createHmac("sha256", documentKey).update(userId).digest("base64url");
  return `srb_${randomBytes(16).toString("base64url")}${ofDocuments.slice(0, documentPartLength)}`;
}

/** Characters at the end of a binding that no page stores. */
export const documentPartLength = 22;

/** The state that a session's first and each further token leave in it. */
export function withNextToken(session: StoredSession): OpenedSession {
  const generation = session.generation + 1;
  const refreshToken = makeRefreshToken(session.refresh_key, session.id, generation);
  return { session: { ...session, generation, refresh_hash: hashOfToken(refreshToken) }, refreshToken };
}

/**
 * The token that counts. A token in a cookie counts only for the page that got it, so a planted cookie counts for none.
 */
function holderOf(
  options: RefreshExchangeOptions,
  proof: RefreshProof,
  client: SessionClient,
): TokenHolder | undefined {
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
function holdersOf(table: SessionTable, token: string): TokenHolder[] {
  const read = readRefreshToken(token);
  const session = read && table.find(read.sessionId);
  if (!session) return [];
  const hash = hashOfToken(token);
  if (session.refresh_hash === hash) return [{ session, hash, isSpent: false }];
  const isOlder = read.isSignedWith(session.refresh_key) && read.generation <= session.generation;
  return isOlder ? [{ session, hash, isSpent: true }] : [];
}

function isBound({ binding_hash }: StoredSession, { isInCookie, binding }: RefreshProof): boolean {
  if (binding_hash === null) return !isInCookie;
  if (binding === undefined) return false;
  return timingSafeEqual(Buffer.from(hashOfToken(binding)), Buffer.from(binding_hash));
}

/**
 * True: the answer to this token's exchange may be lost, for example because a laptop slept before it came. RFC 9700
 * §4.14.2 has the reuse of an exchanged token end the session, since one of its two holders may be a thief. Here it does
 * not while no second holder is seen: neither token of that answer was used, and the client is that of the exchange (a /64
 * is one). The client gets a new pair, and the refresh token of the lost answer counts as used. So a thief who got that
 * answer, or who repeats an exchange before its owner has used the answer, is noticed as soon as the other one comes. The
 * end of an unused session bounds the time.
 */
function isUnanswered({ session, hash }: TokenHolder, client: SessionClient): boolean {
  return session.unanswered_hash === hash && isSameClient(session, client);
}

/** True: the session's last exchange came from this client. */
function isSameClient({ address, user_agent }: StoredSession, client: SessionClient): boolean {
  return clientKeyOf(address) === clientKeyOf(client.address) && user_agent === keptUserAgent(client);
}

/** The part of a user agent that a session keeps. */
export function keptUserAgent({ userAgent }: SessionClient): string {
  return userAgent.slice(0, 256);
}

async function endedAsCopied(
  { table, onReuse }: RefreshExchangeOptions,
  session: StoredSession,
  client: SessionClient,
): Promise<StewardError> {
  await table.end((one) => one.id === session.id);
  await onReuse(session, client);
  return refused(
    "revoked",
    "This refresh token was used before, so a copy of it may exist, and the session was ended. Sign in again.",
  );
}

function rotate(
  { uptime, idleSeconds }: RefreshExchangeOptions,
  { session, hash }: TokenHolder,
  client: SessionClient,
): OpenedSession {
  const now = uptime();
  const used = {
    ...session,
    idle_deadline: now + idleSeconds(),
    unanswered_hash: hash,
    rotated_uptime: now,
    address: client.address,
    user_agent: keptUserAgent(client),
  };
  return withNextToken(used);
}

function refused(reason: string, message: string): StewardError {
  return new StewardError("invalid_token", message, { details: { reason } });
}
