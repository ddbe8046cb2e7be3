import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { adminName, adminPassword, outcome } from "../../../lab/agents/running-agent.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { standingTime } from "../../../lab/simulated/test-time.ts";

describe("refresh", () => {
  const time = standingTime();
  const agent = ofSuite(() => startCheckedAgent({ time }));
  before(() => agent.signedInAdmin());
  const refresh = (refresh_token: string) =>
    agent.call("POST", "/api/auth/refresh", { body: { refresh_token } });
  const begin = () => agent.login(adminName, adminPassword);
  const me = async (token: string) =>
    (await agent.call("GET", "/api/auth/me", { token })).json.reason ?? "in";

  it("rotates: a new pair, for the same session and user, and both access tokens work", async () => {
    const old = await begin();
    const { json } = await refresh(old.refreshToken);
    assert.ok(json.refresh_token !== old.refreshToken && json.access_token !== old.token);
    assert.equal(json.user.id, old.id);
    assert.deepEqual([await me(old.token), await me(json.access_token)], ["in", "in"]);
    assert.equal((await refresh(json.refresh_token)).json.session.id, json.session.id);
  });

  it("an exchanged token ends the session once its successor was exchanged too (a thief who refreshes twice)", async () => {
    const victim = await begin();
    const first = await refresh(victim.refreshToken);
    const { session, access_token, refresh_token } = (await refresh(first.json.refresh_token)).json;
    const late = await refresh(victim.refreshToken);
    assert.deepEqual([late.status, late.json.reason], [401, "revoked"]);
    assert.match(late.json.detail, /used before.*Sign in again/);
    assert.equal(await me(access_token), "revoked");
    assert.equal((await refresh(refresh_token)).status, 401);
    const { items } = await agent.read("/api/events?type=session.reused");
    assert.equal(items[0].details.session, session.id);
  });

  it("an access token is no refresh token, nor the other way round", async () => {
    const user = await begin();
    assert.equal(await outcome(refresh(user.token.slice(0, 256))), "401 invalid_token");
    assert.equal(await me(user.refreshToken), "malformed");
  });
});
