import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ana, bob, context, inBody, inCookies, reasonOf, sessionsAt } from "./sessions-at.ts";

/** A session whose token is in a browser's cookie, and what that browser keeps beside it. */
function inBrowser({ sessions }: Awaited<ReturnType<typeof sessionsAt>>, user: string) {
  const { session, refreshToken } = sessions.open(user, context);
  return { session, refreshToken, binding: sessions.bind(session.id) };
}

describe("a refresh token in a cookie", () => {
  it("is exchanged together with the value that was given with it, again and again", async () => {
    const world = await sessionsAt({ now: 1_000 });
    const { refreshToken, binding } = inBrowser(world, ana);
    assert.match(binding, /^srb_[A-Za-z0-9_-]{44}$/);
    const next = await world.sessions.refresh(inCookies(binding, refreshToken), context);
    const last = await world.sessions.refresh(inCookies(binding, next.refreshToken), context);
    assert.equal(last.session.user_id, ana);
    assert.ok(!JSON.stringify(world.document.read()).includes(binding), "a hash of it is stored");
  });

  const thefts: Record<string, (binding: string, token: string) => Parameters<typeof reasonOf>[0] | object> =
    {
      "without it": (_, token) => inCookies(undefined, token),
      "with an empty one": (_, token) => inCookies("", token),
      "with one of the thief's own": (_, token) => inCookies(`srb_${"A".repeat(22)}`, token),
      "with one that is longer": (binding, token) => inCookies(`${binding}A`, token),
      "in a body instead, as API clients send theirs": (_, token) => inBody(token),
    };
  for (const [how, proof] of Object.entries(thefts)) {
    it(`that another program on this host has received counts for nothing ${how} (stolen cookie)`, async () => {
      const world = await sessionsAt({ now: 1_000 });
      const { session, refreshToken, binding } = inBrowser(world, ana);
      const stolen = proof(binding, refreshToken) as ReturnType<typeof inBody>;
      assert.equal(await reasonOf(world.sessions.refresh(stolen, context)), "binding");
      assert.equal(await reasonOf(world.sessions.close(stolen, context)), "binding");
      assert.deepEqual(world.told, { reused: [], unbound: [session.id, session.id], ended: [] });
      const mine = await world.sessions.refresh(inCookies(binding, refreshToken), context);
      assert.equal(mine.session.id, session.id, "its owner goes on");
    });
  }

  it("that is of an older exchange ends nothing in a thief's hands, and the session in its owner's", async () => {
    const time = { now: 1_000 };
    const world = await sessionsAt(time);
    const { session, refreshToken, binding } = inBrowser(world, ana);
    const opened = await world.sessions.refresh(inCookies(binding, refreshToken), context);
    world.sessions.noteUse(opened.session, time.now);
    time.now += 30;
    assert.equal(
      await reasonOf(world.sessions.refresh(inCookies(undefined, refreshToken), context)),
      "binding",
    );
    assert.ok(world.sessions.find(session.id), "the session lives");
    assert.equal(
      await reasonOf(world.sessions.refresh(inCookies(binding, refreshToken), context)),
      "revoked",
    );
    assert.deepEqual(world.told, { reused: [session.id], unbound: [session.id], ended: [] });
  });

  for (const transport of ["cookie", "body"]) {
    it(`of another account, given out in a ${transport} and planted, is refused (session fixation)`, async () => {
      const world = await sessionsAt({ now: 1_000 });
      const mine = inBrowser(world, ana);
      const planted = transport === "cookie" ? inBrowser(world, bob) : world.sessions.open(bob, context);
      const proof = inCookies(mine.binding, planted.refreshToken);
      assert.equal(await reasonOf(world.sessions.refresh(proof, context)), "binding");
      assert.equal(await reasonOf(world.sessions.close(proof, context)), "binding");
      assert.deepEqual(world.told.unbound, [planted.session.id, planted.session.id]);
      assert.ok(world.sessions.find(mine.session.id) && world.sessions.find(planted.session.id), "both live");
    });

    it(`goes on beside one that was planted and given out in a ${transport}, whichever comes first`, async () => {
      const world = await sessionsAt({ now: 1_000 });
      const mine = inBrowser(world, ana);
      const planted = transport === "cookie" ? inBrowser(world, bob) : world.sessions.open(bob, context);
      const first = inCookies(mine.binding, planted.refreshToken, mine.refreshToken);
      const next = await world.sessions.refresh(first, context);
      const second = inCookies(mine.binding, next.refreshToken, "str_invented", planted.refreshToken);
      assert.equal((await world.sessions.refresh(second, context)).session.id, mine.session.id);
      assert.deepEqual(world.told, { reused: [], unbound: [], ended: [] });
    });
  }

  it("goes on beside a copy of an older one that was planted", async () => {
    const time = { now: 1_000 };
    const world = await sessionsAt(time);
    const { refreshToken: old, binding } = inBrowser(world, ana);
    const { refreshToken } = await world.sessions.refresh(inCookies(binding, old), context);
    time.now += 30;
    assert.equal(
      await reasonOf(world.sessions.refresh(inCookies(binding, old, refreshToken), context)),
      undefined,
    );
    assert.deepEqual(world.told.reused, []);
  });
});
