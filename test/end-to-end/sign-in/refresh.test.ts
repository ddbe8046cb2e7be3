import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { type SignedIn, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { adminName, adminPassword } from "../../../lab/agents/running-agent.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { standingTime } from "../../../lab/simulated/test-time.ts";

describe("refresh", () => {
  const refresh = (refresh_token: string, userAgent = "fleet/1") =>
    agent.call("POST", "/api/auth/refresh", {
      body: { refresh_token },
      headers: { "user-agent": userAgent },
    });
  const begin = (): Promise<SignedIn> => agent.login(adminName, adminPassword);
  const me = async (token: string) => (await agent.call("GET", "/api/auth/me", { token })).status;
  const time = standingTime();
  const agent = ofSuite(() => startCheckedAgent({ time }));
  before(() => agent.signedInAdmin());

  it("rotates: a new pair, for the same session and user, and both access tokens work", async () => {
    const old = await begin();
    const { status, json } = await refresh(old.refreshToken);
    assert.equal(status, 200);
    assert.notEqual(json.refresh_token, old.refreshToken);
    assert.notEqual(json.access_token, old.token);
    assert.equal(json.user.id, old.id);
    assert.deepEqual([await me(old.token), await me(json.access_token)], [200, 200]);
    const next = await refresh(json.refresh_token);
    assert.deepEqual([next.status, next.json.session.id], [200, json.session.id]);
  });

  it("repeated by the same client within 10 s yields the same successor, whose session goes on", async () => {
    const old = await begin();
    const first = await refresh(old.refreshToken);
    for (let repeat = 0; repeat < 2; repeat += 1) {
      const again = await refresh(old.refreshToken);
      assert.equal(again.status, 200);
      assert.equal(again.json.refresh_token, first.json.refresh_token);
      assert.equal(await me(again.json.access_token), 200);
    }
    assert.equal((await refresh(first.json.refresh_token)).status, 200);
  });

  for (const [when, hasUsed, seconds, status] of [
    ["after 12 s whose answer nobody used goes on (a laptop that slept)", false, 12, 200],
    ["after 50 minutes whose answer nobody used goes on", false, 3_000, 200],
    ["after 12 s whose access token was used ends the session (stolen refresh token)", true, 12, 401],
  ] as const) {
    it(`an exchange repeated ${when}`, async () => {
      const old = await begin();
      time.pass(1);
      const lost = await refresh(old.refreshToken);
      assert.equal(await me(hasUsed ? lost.json.access_token : old.token), 200);
      time.pass(seconds);
      const again = await refresh(old.refreshToken);
      assert.deepEqual([again.status, again.json.reason], [status, hasUsed ? "revoked" : undefined]);
      assert.notEqual(again.json.refresh_token, lost.json.refresh_token);
      assert.equal((await refresh(lost.json.refresh_token)).json.reason, hasUsed ? "expired" : "revoked");
    });
  }

  it("an exchanged token from another caller ends the session at once (stolen refresh token)", async () => {
    const old = await begin();
    const first = await refresh(old.refreshToken);
    const stolen = await refresh(old.refreshToken, "thief/1");
    assert.deepEqual([stolen.status, stolen.json.reason], [401, "revoked"]);
    assert.equal(await me(first.json.access_token), 401);
    assert.equal((await refresh(first.json.refresh_token)).status, 401);
  });

  it("an exchanged token ends the session once its successor was exchanged too (a thief who refreshes twice)", async () => {
    const victim = await begin();
    const first = await refresh(victim.refreshToken);
    const second = await refresh(first.json.refresh_token);
    const { session } = second.json;
    const late = await refresh(victim.refreshToken);
    assert.deepEqual([late.status, late.json.reason], [401, "revoked"]);
    assert.match(late.json.detail, /used before.*Sign in again/);
    assert.equal(await me(second.json.access_token), 401);
    assert.equal((await refresh(second.json.refresh_token)).status, 401);
    const { items } = (await agent.call("GET", "/api/events?type=session.reused", { local: true })).json;
    const named = items.map(({ details }: { details: { session: string } }) => details.session);
    assert.ok(named.includes(session.id), `${session.id} is none of ${named}`);
  });

  it("eight at the same moment never fork the session: all get one successor", async () => {
    const old = await begin();
    const all = await Promise.all(Array.from({ length: 8 }, () => refresh(old.refreshToken)));
    const good = all.filter(({ status }) => status === 200);
    assert.equal(good.length, 8);
    assert.equal(new Set(good.map(({ json }) => json.refresh_token)).size, 1);
  });

  for (const [name, token] of Object.entries({
    "that was never given out": `str_${"A".repeat(43)}`,
    "of another form": "x",
    "with a blank behind": " ",
    "that is a NUL": "\u0000",
    "of 256 characters": "z".repeat(256),
  })) {
    it(`a token ${name} is 401 invalid_token`, async () => {
      const { status, json } = await refresh(token);
      assert.deepEqual([status, json.code], [401, "invalid_token"]);
    });
  }

  it("an access token is no refresh token, nor the other way round", async () => {
    const user = await begin();
    const body = { refresh_token: user.token.slice(0, 256) };
    assert.equal((await agent.call("POST", "/api/auth/refresh", { body })).status, 401);
    const { status, json } = await agent.call("GET", "/api/auth/me", { token: user.refreshToken });
    assert.deepEqual([status, json.reason], [401, "malformed"]);
  });

  it("carries the role of now, not of the sign-in", async () => {
    const user = await agent.signedIn("turncoat", "operator");
    await agent.call("PUT", `/api/users/${user.id}`, { local: true, body: { role: "readonly" } });
    assert.equal((await refresh(user.refreshToken)).json.user.role, "readonly");
  });
});
