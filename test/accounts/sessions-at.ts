import assert from "node:assert/strict";
import { atEnd, endOfSuite, temporaryDirectory } from "../../lab/basics/ending.ts";
import { open } from "../../lab/state/state-directory.ts";
import type { RefreshProof } from "../../src/accounts/sessions/refresh-exchange.ts";
import { sessionsKind } from "../../src/accounts/sessions/session.ts";
import { createSessions } from "../../src/accounts/sessions/sessions.ts";
import { StewardError } from "../../src/contract/errors.ts";

export const ana = `usr_${"a".repeat(32)}`;
export const bob = `usr_${"b".repeat(32)}`;
export const context = { address: "192.0.2.7", userAgent: "browser" };

const ending = endOfSuite();

interface SessionsPlace {
  directory?: string;
  bootId?: string;
}

/** Sessions on a real file, in virtual time: an idle limit of an hour, an absolute one of a day. */
export async function sessionsAt(time: { now: number }, place: SessionsPlace = {}) {
  const directory = place.directory ?? (await temporaryDirectory(ending));
  const document = await open(directory, sessionsKind);
  atEnd(ending, () => document.close());
  /** The sessions of which a used token, or a token without its binding, came. */
  const told: Record<"reused" | "unbound" | "ended", string[]> = { reused: [], unbound: [], ended: [] };
  const sessions = createSessions({
    document,
    bootId: place.bootId ?? "boot-1",
    uptime: () => time.now,
    limits: () => ({ idleSeconds: 3_600, absoluteSeconds: 86_400 }),
    onReuse: async ({ id }) => void told.reused.push(id),
    onUnbound: ({ id }) => void told.unbound.push(id),
    onEnd: async ({ id }, because) => void told.ended.push(`${id} ${because}`),
  });
  return { sessions, document, directory, told };
}

/** The same, with a session of Ana's that an API client has; `refused` gives the reason, or none where it goes on. */
export async function signedIn(place: SessionsPlace = {}) {
  const time = { now: 1_000 };
  const world = await sessionsAt(time, place);
  const opened = world.sessions.open(ana, context);
  const refresh = (token = opened.refreshToken, client: typeof context = context) =>
    world.sessions.refresh(inBody(token), client);
  const refused = (...given: Parameters<typeof refresh>) => reasonOf(refresh(...given));
  const isAlive = ({ id } = opened.session) => world.sessions.find(id) !== undefined;
  return { ...world, ...opened, time, refresh, refused, isAlive };
}

/** A token as an API client sends it. */
export function inBody(token: string): RefreshProof {
  return { tokens: [token], isInCookie: false, binding: undefined };
}

/** Tokens as a browser sends them. */
export function inCookies(binding: string | undefined, ...tokens: string[]): RefreshProof {
  return { tokens, isInCookie: true, binding };
}

/** The reason of an `invalid_token`; undefined when there is none. */
export async function reasonOf(work: Promise<unknown>): Promise<string | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    assert.ok(error instanceof StewardError && error.code === "invalid_token", String(error));
    return error.details.reason;
  }
}

const nothing = () => undefined;

/** A sign-in that asks for no second step. */
export const noChallenges = { open: () => "", find: nothing, failed: nothing, close: nothing };
