import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { describe, it } from "node:test";
import { readRefreshToken } from "../../src/accounts/sessions/refresh-token.ts";
import { ana, bob, context, inBody, reasonOf, sessionsAt } from "./sessions-at.ts";

type World = Awaited<ReturnType<typeof sessionsAt>>;

/** Exchanges a token so many times, each half a minute after the one before, and uses each answer; the last one. */
async function exchanged({ sessions }: World, time: { now: number }, token: string, times: number) {
  let last = token;
  for (let count = 0; count < times; count += 1) {
    time.now += 30;
    const { session, refreshToken } = await sessions.refresh(inBody(last), context);
    sessions.noteUse(session, time.now);
    last = refreshToken;
  }
  return last;
}

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
    "that is no more than random": () => `str_${"A".repeat(43)}`,
  };
  for (const [what, forged] of Object.entries(forgeries)) {
    it(`${what} is refused, and the session goes on`, async () => {
      const { sessions, told } = await sessionsAt({ now: 1_000 });
      const { refreshToken } = sessions.open(ana, context);
      assert.equal(await reasonOf(sessions.refresh(inBody(forged(refreshToken)), context)), "expired");
      assert.equal(await sessions.close(inBody(forged(refreshToken)), context), undefined);
      assert.equal(await reasonOf(sessions.refresh(inBody(refreshToken), context)), undefined);
      assert.deepEqual(told, { reused: [], unbound: [], ended: [] });
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

function keyOf({ sessions: [one] }: { readonly sessions: readonly { refresh_key: string }[] }): string {
  return one?.refresh_key ?? assert.fail("no key");
}

/** The letter of base64url whose unused bits are others. */
function nextOf(letter: string): string {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  return letters[letters.indexOf(letter) ^ 1] ?? "";
}
