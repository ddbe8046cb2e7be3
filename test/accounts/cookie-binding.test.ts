import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ana, bob, context, inBody, inCookies, reasonOf, sessionsAt } from "./sessions-at.ts";

/** Ana's session, whose token is in a browser's cookie, and what that browser keeps beside it. */
async function browsing() {
  const time = { now: 1_000 };
  const world = await sessionsAt(time);
  const { sessions } = world;
  const inBrowser = (user: string) => {
    const { session, refreshToken } = sessions.open(user, context);
    return { session, refreshToken, binding: sessions.bind(session.id) };
  };
  const refresh = (...given: Parameters<typeof inCookies>) => sessions.refresh(inCookies(...given), context);
  /** The reason for which this is exchanged for nothing, and closes nothing. */
  const refused = async (proof: ReturnType<typeof inBody>) => [
    await reasonOf(sessions.refresh(proof, context)),
    await reasonOf(sessions.close(proof, context)),
  ];
  const planted = (transport: string) =>
    transport === "cookie" ? inBrowser(bob) : sessions.open(bob, context);
  return { ...world, time, ...inBrowser(ana), planted, refresh, refused };
}

describe("a refresh token in a cookie", () => {
  it("is exchanged together with the value that was given with it, again and again", async () => {
    const { document, refreshToken, binding, refresh } = await browsing();
    assert.match(binding, /^srb_[A-Za-z0-9_-]{44}$/);
    const next = await refresh(binding, refreshToken);
    assert.equal((await refresh(binding, next.refreshToken)).session.user_id, ana);
    assert.ok(!JSON.stringify(document.read()).includes(binding), "a hash of it is stored");
  });

  const thefts: Record<string, (binding: string, token: string) => ReturnType<typeof inBody>> = {
    "without it": (_, token) => inCookies(undefined, token),
    "with an empty one": (_, token) => inCookies("", token),
    "with one of the thief's own": (_, token) => inCookies(`srb_${"A".repeat(22)}`, token),
    "with one that is longer": (binding, token) => inCookies(`${binding}A`, token),
    "in a body instead, as API clients send theirs": (_, token) => inBody(token),
  };
  for (const [how, proof] of Object.entries(thefts))
    it(`that another program on this host has received counts for nothing ${how} (stolen cookie)`, async () => {
      const { told, session, refreshToken, binding, refused, refresh } = await browsing();
      assert.deepEqual(await refused(proof(binding, refreshToken)), ["binding", "binding"]);
      assert.deepEqual(told, { reused: [], unbound: [session.id, session.id], ended: [] });
      assert.equal((await refresh(binding, refreshToken)).session.id, session.id, "its owner goes on");
    });

  it("that is of an older exchange ends nothing in a thief's hands, and the session in its owner's", async () => {
    const { sessions, told, time, session, refreshToken, binding, refresh } = await browsing();
    sessions.noteUse((await refresh(binding, refreshToken)).session, time.now);
    time.now += 30;
    assert.equal(await reasonOf(refresh(undefined, refreshToken)), "binding");
    assert.ok(sessions.find(session.id), "the session lives");
    assert.equal(await reasonOf(refresh(binding, refreshToken)), "revoked");
    assert.deepEqual(told, { reused: [session.id], unbound: [session.id], ended: [] });
  });

  for (const transport of ["cookie", "body"]) {
    it(`of another account, given out in a ${transport} and planted, is refused (session fixation)`, async () => {
      const { sessions, told, session, binding, planted, refused } = await browsing();
      const theirs = planted(transport);
      assert.deepEqual(await refused(inCookies(binding, theirs.refreshToken)), ["binding", "binding"]);
      assert.deepEqual(told.unbound, [theirs.session.id, theirs.session.id]);
      assert.ok(sessions.find(session.id) && sessions.find(theirs.session.id), "both live");
    });

    it(`goes on beside one that was planted and given out in a ${transport}, whichever comes first`, async () => {
      const { told, session, refreshToken, binding, planted, refresh } = await browsing();
      const theirs = planted(transport).refreshToken;
      const next = await refresh(binding, theirs, refreshToken);
      const last = await refresh(binding, next.refreshToken, "str_invented", theirs);
      assert.equal(last.session.id, session.id);
      assert.deepEqual(told, { reused: [], unbound: [], ended: [] });
    });
  }

  it("goes on beside a copy of an older one that was planted", async () => {
    const { told, time, refreshToken: old, binding, refresh } = await browsing();
    const { refreshToken } = await refresh(binding, old);
    time.now += 30;
    assert.equal(await reasonOf(refresh(binding, old, refreshToken)), undefined);
    assert.deepEqual(told.reused, []);
  });
});
