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
    const { items } = await agent.read("/api/events?type=session.reused");
    const named = items.map(({ details }: { details: { session: string } }) => details.session);
    assert.ok(named.includes(session.id), `${session.id} is none of ${named}`);
  });

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
