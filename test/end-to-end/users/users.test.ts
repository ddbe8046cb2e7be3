import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { goodPassword, type SignedIn, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { outcome } from "../../../lab/agents/running-agent.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";

describe("users", () => {
  const agent = ofSuite(startCheckedAgent);
  const admin = ofSuite(() => agent.signedInAdmin());
  const call = (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
    agent.call(method, path, { token: admin.token, headers, ...(body && { body }) });
  const put = (id: string, body: object) => call("PUT", `/api/users/${id}`, body);

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
      assert.equal(await outcome(call("PUT", path, { display_name: "Second" }, mine)), "412 etag_mismatch");
      assert.deepEqual((await call("GET", path)).json, json);
    });

    it("lets a password work for one more sign-in, and says so in the event; only true can be asked for", async () => {
      const { id, token } = await agent.signedIn("anna.once", "operator");
      const body = { must_change_password: true };
      assert.equal((await agent.call("PUT", `/api/users/${id}`, { token, body })).status, 403);
      assert.equal(await outcome(put(id, { must_change_password: false })), "400 validation_failed");
      assert.equal((await put(id, body)).json.must_change_password, true);
      const [event] = (await agent.read("/api/events?type=user.changed&limit=1")).items;
      assert.deepEqual([event.subject.name, event.details], ["anna.once", body]);
      const mine = { body: { username: "anna.once", password: goodPassword } };
      for (const status of [200, 401])
        assert.equal((await agent.call("POST", "/api/auth/login", mine)).status, status);
    });

    it("takes If-Match with *, one of several tags, and a tag as a proxy that compresses left it", async () => {
      // A change without members is one all the same, and makes another tag.
      const tagNow = async () => String((await call("GET", path)).headers.etag);
      const tried = async (match: string) => (await call("PUT", path, {}, { "if-match": match })).status;
      const suffixed = (tag: string, suffix: string) => `${tag.slice(0, -1)}${suffix}"`;
      const tag = await tagNow();
      for (const wrong of ['W/"other"', suffixed(tag, "x"), suffixed(tag, "-gzipx"), ""])
        assert.equal(await tried(wrong), 412, wrong);
      const forms = ["-gzip", "-br", "--gzip"].map((suffix) => (now: string) => suffixed(now, suffix));
      for (const form of [(now: string) => `W/${now}`, ...forms]) {
        const given = form(await tagNow());
        const { status } = await call("GET", path, undefined, { "if-none-match": given });
        assert.deepEqual([status, await tried(given)], [304, 200], given);
      }
      assert.equal(await tried(`"other", ${await tagNow()}`), 200);
      assert.equal(await tried("*"), 200);
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
});
