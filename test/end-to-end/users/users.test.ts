import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { goodPassword, type SignedIn, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { outcome } from "../../../lab/agents/running-agent.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { standingTime } from "../../../lab/simulated/test-time.ts";

describe("users", () => {
  const time = standingTime();
  const agent = ofSuite(() => startCheckedAgent({ time }));
  const admin = ofSuite(() => agent.signedInAdmin());
  const call = (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
    agent.call(method, path, { token: admin.token, headers, ...(body && { body }) });
  const put = (id: string, body: object) => call("PUT", `/api/users/${id}`, body);
  const login = async (username: string, password: string) =>
    (await agent.call("POST", "/api/auth/login", { body: { username, password } })).status;
  const newestOf = async (type: string) => (await agent.read(`/api/events?type=${type}&limit=1`)).items[0];

  describe("put", () => {
    let path: string;
    before(async () => {
      const body = { username: "mutable", role: "readonly", password: goodPassword, display_name: "Before" };
      path = `/api/users/${(await call("POST", "/api/users", body)).json.id}`;
    });

    it("changes the members given, unless the user was changed in between (If-Match)", async () => {
      const before = await call("GET", path);
      const mine = { "if-match": String(before.headers.etag) };
      const { json, headers } = await call("PUT", path, { display_name: "After" }, mine);
      assert.deepEqual(json, { ...before.json, display_name: "After", updated_at: json.updated_at });
      assert.notEqual(headers.etag, before.headers.etag);
      for (const match of [mine["if-match"], ""])
        assert.equal(await outcome(call("PUT", path, {}, { "if-match": match })), "412 etag_mismatch");
      assert.deepEqual((await call("GET", path)).json, json);
      // As a proxy that compresses leaves it.
      const given = `"other", ${String(headers.etag).slice(0, -1)}-gzip"`;
      assert.equal((await call("GET", path, undefined, { "if-none-match": given })).status, 304);
      assert.equal((await call("PUT", path, {}, { "if-match": given })).status, 200);
    });

    it("lets a password work for one more sign-in, and says so in the event; only true can be asked for", async () => {
      const { id, token } = await agent.signedIn("anna.once", "operator");
      const body = { must_change_password: true };
      assert.equal((await agent.call("PUT", `/api/users/${id}`, { token, body })).status, 403);
      assert.equal(await outcome(put(id, { must_change_password: false })), "400 validation_failed");
      assert.equal((await put(id, body)).json.must_change_password, true);
      const { subject, details } = await newestOf("user.changed");
      assert.deepEqual([subject.name, details], ["anna.once", body]);
      for (const status of [200, 401]) assert.equal(await login("anna.once", goodPassword), status);
    });

    it("is for the ETag of a moment before, also of a user who is locked; one rescue lets them in", async () => {
      const locked = `/api/users/${(await agent.signedIn("ana", "operator")).id}`;
      for (let tries = 0; tries < 6; tries += 1) await login("ana", "not the one at all");
      const { json, headers } = await call("GET", locked);
      assert.ok(json.locked, "six wrong passwords did not lock");
      time.pass(3);
      const ifMatch = { "if-match": String(headers.etag) };
      assert.equal((await call("PUT", locked, { enabled: false }, ifMatch)).status, 200);
      const rescued = (await call("POST", `${locked}/rescue`)).json;
      assert.deepEqual([rescued.enabled, rescued.locked, rescued.held_in_memory], [true, null, undefined]);
      assert.equal(await login("ana", rescued.initial_password), 200);
      assert.equal(await login("ana", goodPassword), 401);
      const before = { was_enabled: false, was_locked: true, had_two_factor: false };
      assert.deepEqual((await newestOf("user.rescued")).details, { ...before, tokens_ended: 0 });
    });
  });

  describe("a change of role", () => {
    it("acts at once on the sessions that are open", async () => {
      const { id, token } = await agent.signedIn("climber", "readonly");
      for (const [role, status] of [
        ["readonly", 403],
        ["admin", 200],
        ["operator", 403],
      ] as const) {
        await put(id, { role });
        assert.equal((await agent.call("GET", "/api/users", { token })).status, status, role);
      }
    });
  });

  describe("disable and delete", () => {
    const assertDead = async ({ token, refreshToken: refresh_token }: SignedIn) => {
      const { status, json } = await agent.call("GET", "/api/auth/me", { token });
      assert.deepEqual([status, json.code, json.reason], [401, "invalid_token", "revoked"]);
      const refreshed = agent.call("POST", "/api/auth/refresh", { body: { refresh_token } });
      assert.equal(await outcome(refreshed), "401 invalid_token");
    };
    it("a disabled user's tokens die at once, and stay dead when the user is enabled again", async () => {
      const user = await agent.signedIn("disabled", "operator");
      for (const enabled of [false, true]) {
        await put(user.id, { enabled });
        await assertDead(user);
      }
      await agent.login("disabled", goodPassword);
    });
    it("a deleted user's tokens die at once, and the name is free for another user with another id", async () => {
      const user = await agent.signedIn("deleted", "operator");
      const path = `/api/users/${user.id}`;
      assert.equal((await call("DELETE", path)).status, 204);
      await assertDead(user);
      for (const method of ["GET", "DELETE"]) assert.equal((await call(method, path)).status, 404, method);
      assert.notEqual((await agent.signedIn("deleted", "readonly")).id, user.id);
      await assertDead(user);
    });
  });

  it("have another's second factor taken away by recover and a reason, of which an operator, who cannot, is not told", async () => {
    const { id, token } = await agent.signedIn("olga", "operator");
    const disable = async (of: string, by: object) => {
      const body = { password: goodPassword, code: "123456" };
      const { status, json } = await agent.call("POST", `/api/users/${of}/2fa/disable`, { ...by, body });
      assert.deepEqual([status, json.code], [403, "forbidden"]);
      return json.detail as string;
    };
    for (const by of [{ token: admin.token }, { local: true }])
      assert.match(await disable(id, by), /2fa\/recover and a `reason`.*`steward user 2fa reset NAME --r/s);
    assert.doesNotMatch(await disable(admin.id, { token }), /recover|reset/);
  });
});
