import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { goodPassword, type SignedIn, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { outcome } from "../../../lab/agents/running-agent.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";

describe("users", () => {
  let token: string;
  const agent = ofSuite(startCheckedAgent);
  const admin = ofSuite(() => agent.signedInAdmin());
  before(async () => {
    token = admin.token;
  });

  describe("put", () => {
    let path: string;
    before(async () => {
      const body = { username: "mutable", role: "readonly", password: goodPassword, display_name: "Before" };
      const { json } = await agent.call("POST", "/api/users", { token, body });
      path = `/api/users/${json.id}`;
    });
    it("changes the members given and leaves the others", async () => {
      const before = (await agent.call("GET", path, { token })).json;
      const { json } = await agent.call("PUT", path, { token, body: { display_name: "After" } });
      assert.deepEqual(json, { ...before, display_name: "After", updated_at: json.updated_at });
      assert.ok(json.updated_at >= before.updated_at, "json.updated_at >= before.updated_at");
      assert.deepEqual((await agent.call("GET", path, { token })).json, json);
    });
    it("is refused when the user was changed in between (If-Match), and has no effect", async () => {
      const { headers } = await agent.call("GET", path, { token });
      const mine = { "if-match": String(headers.etag) };
      const first = await agent.call("PUT", path, { token, body: { display_name: "First" }, headers: mine });
      assert.equal(first.status, 200);
      assert.notEqual(first.headers.etag, headers.etag);
      assert.equal(
        await outcome(agent.call("PUT", path, { token, body: { display_name: "Second" }, headers: mine })),
        "412 etag_mismatch",
      );
      assert.equal((await agent.call("GET", path, { token })).json.display_name, "First");
    });
    it("lets a password work for one more sign-in, and says so in the event; only true can be asked for", async () => {
      const anna = await agent.signedIn("anna.once", "operator");
      const own = { token: anna.token, body: { must_change_password: true } };
      const ownPath = `/api/users/${anna.id}`;
      assert.equal((await agent.call("PUT", ownPath, own)).status, 403);
      assert.equal(
        await outcome(agent.call("PUT", ownPath, { token, body: { must_change_password: false } })),
        "400 validation_failed",
      );
      const { json } = await agent.call("PUT", ownPath, { token, body: { must_change_password: true } });
      assert.equal(json.must_change_password, true);
      const [event] = (await agent.call("GET", "/api/events?type=user.changed&limit=1", { token })).json
        .items;
      assert.deepEqual([event.subject.name, event.details], ["anna.once", { must_change_password: true }]);
      const signIn = () =>
        agent.call("POST", "/api/auth/login", { body: { username: "anna.once", password: goodPassword } });
      assert.deepEqual([(await signIn()).status, (await signIn()).status], [200, 401]);
    });
    it("takes If-Match with *, one of several tags, and a tag as a proxy that compresses left it", async () => {
      // A change without members is one all the same, and makes another tag.
      const tagNow = async () => String((await agent.call("GET", path, { token })).headers.etag);
      const put = async (match: string) =>
        (await agent.call("PUT", path, { token, body: {}, headers: { "if-match": match } })).status;
      const suffixed = (tag: string, suffix: string) => `${tag.slice(0, -1)}${suffix}"`;
      const tag = await tagNow();
      for (const wrong of ['W/"other"', suffixed(tag, "x"), suffixed(tag, "-gzipx"), ""])
        assert.equal(await put(wrong), 412, wrong);
      const forms = ["-gzip", "-br", "--gzip"].map((suffix) => (now: string) => suffixed(now, suffix));
      for (const form of [(now: string) => `W/${now}`, ...forms]) {
        const given = form(await tagNow());
        const ask = { token, headers: { "if-none-match": given } };
        assert.deepEqual([(await agent.call("GET", path, ask)).status, await put(given)], [304, 200], given);
      }
      assert.equal(await put(`"other", ${await tagNow()}`), 200);
      assert.equal(await put("*"), 200);
    });
  });

  describe("a change of role", () => {
    it("acts at once on the sessions that are open", async () => {
      const user = await agent.signedIn("climber", "readonly");
      const list = async () => (await agent.call("GET", "/api/users", { token: user.token })).status;
      assert.equal(await list(), 403);
      await agent.call("PUT", `/api/users/${user.id}`, { token, body: { role: "admin" } });
      assert.equal(await list(), 200);
      await agent.call("PUT", `/api/users/${user.id}`, { token, body: { role: "operator" } });
      assert.equal(await list(), 403);
    });
  });

  describe("disable and delete", () => {
    const assertDead = async (user: SignedIn) => {
      const me = await agent.call("GET", "/api/auth/me", { token: user.token });
      assert.deepEqual([me.status, me.json.code, me.json.reason], [401, "invalid_token", "revoked"]);
      const body = { refresh_token: user.refreshToken };
      assert.equal(await outcome(agent.call("POST", "/api/auth/refresh", { body })), "401 invalid_token");
    };
    it("a disabled user's tokens die at once, and stay dead when the user is enabled again", async () => {
      const user = await agent.signedIn("disabled", "operator");
      await agent.call("PUT", `/api/users/${user.id}`, { token, body: { enabled: false } });
      await assertDead(user);
      await agent.call("PUT", `/api/users/${user.id}`, { token, body: { enabled: true } });
      await assertDead(user);
      await agent.login("disabled", goodPassword);
    });
    it("a deleted user's tokens die at once, and the name is free for another user with another id", async () => {
      const user = await agent.signedIn("deleted", "operator");
      assert.equal((await agent.call("DELETE", `/api/users/${user.id}`, { token })).status, 204);
      await assertDead(user);
      assert.equal((await agent.call("GET", `/api/users/${user.id}`, { token })).status, 404);
      assert.equal((await agent.call("DELETE", `/api/users/${user.id}`, { token })).status, 404);
      const next = await agent.signedIn("deleted", "readonly");
      assert.notEqual(next.id, user.id);
      await assertDead(user);
    });
  });
});
