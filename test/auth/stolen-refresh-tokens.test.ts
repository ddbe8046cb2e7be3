import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { hashOfToken, readRefreshToken } from "../../src/auth/sessions/refresh-token.ts";
import { sessionsKind } from "../../src/auth/sessions/session.ts";
import { ana, bob, context, inBody, inCookies, reasonOf, sessionsAt } from "./sessions-at.ts";

type World = Awaited<ReturnType<typeof sessionsAt>>;

/** Exchanges a token so many times, each half a minute after the one before; the last one. */
async function exchanged({ sessions }: World, time: { now: number }, token: string, times: number) {
  let last = token;
  for (let count = 0; count < times; count += 1) {
    time.now += 30;
    last = (await sessions.refresh(inBody(last), context)).refreshToken;
  }
  return last;
}

/** The form 1.1.0 has added these to a session. */
const added = ["generation", "refresh_key", "binding_hash"];

/** The sessions of the release before. */
const former: typeof sessionsKind = {
  ...sessionsKind,
  formatVersion: "1.0.0",
  migrations: {},
  schema: JSON.parse(JSON.stringify(sessionsKind.schema), (key, value) => {
    if (key === "required") return value.filter((name: string) => !added.includes(name));
    if (key !== "properties") return value;
    return Object.fromEntries(Object.entries(value).filter(([name]) => !added.includes(name)));
  }),
};

describe("a stolen refresh token", () => {
  for (const times of [1, 2, 7]) {
    it(`that the thief has exchanged ${times} times is seen when its owner presents it: the session ends`, async () => {
      const time = { now: 1_000 };
      const world = await sessionsAt(time);
      const { session, refreshToken } = world.sessions.open(ana, context);
      const thiefs = await exchanged(world, time, refreshToken, times);
      time.now += 11;
      assert.equal(await reasonOf(world.sessions.refresh(inBody(refreshToken), context)), "revoked");
      assert.equal(world.sessions.find(session.id), undefined);
      assert.equal(await reasonOf(world.sessions.refresh(inBody(thiefs), context)), "expired");
      assert.deepEqual(world.told.reused, [session.id]);
    });
  }

  it("is seen at once when two exchanges came before, however fast the thief was", async () => {
    const time = { now: 1_000 };
    const world = await sessionsAt(time);
    const { session, refreshToken } = world.sessions.open(ana, context);
    const { refreshToken: second } = await world.sessions.refresh(inBody(refreshToken), context);
    await world.sessions.refresh(inBody(second), context);
    assert.equal(await reasonOf(world.sessions.refresh(inBody(refreshToken), context)), "revoked");
    assert.deepEqual(world.told.reused, [session.id]);
  });

  it("is seen after a restart of the agent too", async () => {
    const time = { now: 1_000 };
    const before = await sessionsAt(time);
    const { session, refreshToken } = before.sessions.open(ana, context);
    await exchanged(before, time, refreshToken, 3);
    await before.document.close();
    const after = await sessionsAt(time, { directory: before.directory });
    assert.equal(await reasonOf(after.sessions.refresh(inBody(refreshToken), context)), "revoked");
    assert.deepEqual(after.told.reused, [session.id]);
  });
});

describe("a refresh token that was never given out", () => {
  const text = (bytes: Buffer) => `str_${bytes.toString("base64url")}`;
  const bytesOf = (token: string) => Buffer.from(token.slice(4), "base64url");
  const forgeries: Record<string, (token: string) => string> = {
    "with one bit of its MAC changed": (token) => {
      const bytes = bytesOf(token);
      bytes[67] = (bytes[67] ?? 0) ^ 1;
      return text(bytes);
    },
    "with a lower generation": (token) => {
      const bytes = bytesOf(token);
      bytes.writeUInt32BE(0, 16);
      return text(bytes);
    },
    "with a MAC under an empty key": (token) => {
      const body = bytesOf(token).subarray(0, 36);
      return text(Buffer.concat([body, createHmac("sha256", "").update(body).digest()]));
    },
    "of another text for the same bytes": (token) => `${token.slice(0, -1)}${nextOf(token.slice(-1))}`,
    "cut short": (token) => token.slice(0, -4),
    "with more behind": (token) => `${token}AAAA`,
    "of the former form": () => `str_${"A".repeat(43)}`,
  };
  for (const [what, forged] of Object.entries(forgeries)) {
    it(`${what} is refused, and the session goes on`, async () => {
      const { sessions, told } = await sessionsAt({ now: 1_000 });
      const { refreshToken } = sessions.open(ana, context);
      assert.equal(await reasonOf(sessions.refresh(inBody(forged(refreshToken)), context)), "expired");
      assert.equal(await sessions.close(inBody(forged(refreshToken)), context), undefined);
      assert.equal(await reasonOf(sessions.refresh(inBody(refreshToken), context)), undefined);
      assert.deepEqual(told, { reused: [], unbound: [] });
    });
  }

  it("with another session's name on it is refused, and neither ends", async () => {
    const { sessions, told } = await sessionsAt({ now: 1_000 });
    const [one, other] = [sessions.open(ana, context), sessions.open(bob, context)];
    const bytes = bytesOf(one.refreshToken);
    bytesOf(other.refreshToken).copy(bytes, 0, 0, 16);
    assert.equal(await reasonOf(sessions.refresh(inBody(text(bytes)), context)), "expired");
    assert.ok(sessions.find(one.session.id) && sessions.find(other.session.id), "both live");
    assert.deepEqual(told.reused, []);
  });

  it("cannot be made from the stored session", async () => {
    const { sessions, document } = await sessionsAt({ now: 1_000 });
    const { refreshToken } = sessions.open(ana, context);
    const { random, key } = { random: bytesOf(refreshToken).subarray(20, 36), key: keyOf(document.read()) };
    assert.ok(
      readRefreshToken(refreshToken)?.isSignedWith(key),
      "the key is there, to tell the genuine ones",
    );
    const stored = JSON.stringify(document.read());
    for (const form of ["hex", "base64url"] as const)
      assert.ok(!stored.includes(random.toString(form)), "its random bytes are not");
  });
});

describe("a refresh token of a release that did not sign them", () => {
  it("is exchanged once for one that is signed, and its reuse is seen", async () => {
    const time = { now: 1_000 };
    const before = await sessionsAt(time, { kind: former });
    const { session } = before.sessions.open(ana, context);
    const unsigned = `str_${"k".repeat(43)}`;
    before.document.note(({ sessions: [one] }) => ({ sessions: [asFormer(one, unsigned)] as never }), 0);
    await before.document.close();
    const world = await sessionsAt(time, { directory: before.directory });
    const { refreshToken } = await world.sessions.refresh(inBody(unsigned), context);
    assert.equal(readRefreshToken(refreshToken)?.sessionId, session.id);
    const latest = await exchanged(world, time, refreshToken, 2);
    assert.equal(await reasonOf(world.sessions.refresh(inBody(refreshToken), context)), "revoked");
    assert.equal(await reasonOf(world.sessions.refresh(inBody(latest), context)), "expired");
  });

  it("counts in no cookie: its user signs in again", async () => {
    const time = { now: 1_000 };
    const before = await sessionsAt(time, { kind: former });
    before.sessions.open(ana, context);
    const unsigned = `str_${"k".repeat(43)}`;
    before.document.note(({ sessions: [one] }) => ({ sessions: [asFormer(one, unsigned)] as never }), 0);
    await before.document.close();
    const { sessions } = await sessionsAt(time, { directory: before.directory });
    assert.equal(await reasonOf(sessions.refresh(inCookies("1", unsigned), context)), "binding");
  });

  it("leaves a file that the release before reads, and takes up what that has changed", async () => {
    const time = { now: 1_000 };
    const first = await sessionsAt(time);
    const { session, refreshToken } = first.sessions.open(ana, context);
    const binding = first.sessions.bind(session.id);
    await first.document.close();
    const older = await sessionsAt(time, { directory: first.directory, kind: former });
    const changed = (one: object) => ({ ...known(one), user_agent: "seen by the release before" });
    older.document.note(({ sessions }) => ({ sessions: sessions.map(changed) as never }), 0);
    await older.document.close();
    const text = await readFile(join(first.directory, "sessions.json"), "utf8");
    assert.match(text, /seen by the release before/);
    const { sessions } = await sessionsAt(time, { directory: first.directory });
    assert.equal(await reasonOf(sessions.refresh(inCookies(binding, refreshToken), context)), undefined);
  });
});

/** A session as the release before makes it. */
function asFormer(session: object | undefined, token: string): object {
  return { ...known(session ?? {}), refresh_hash: hashOfToken(token), previous_hash: null };
}

/** The members that the release before knows. */
function known(session: object): object {
  return Object.fromEntries(Object.entries(session).filter(([name]) => !added.includes(name)));
}

function keyOf({
  sessions: [one],
}: {
  readonly sessions: readonly { refresh_key: string | null }[];
}): string {
  return one?.refresh_key ?? assert.fail("no key");
}

/** The letter of base64url whose unused bits are others. */
function nextOf(letter: string): string {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  return letters[letters.indexOf(letter) ^ 1] ?? "";
}
