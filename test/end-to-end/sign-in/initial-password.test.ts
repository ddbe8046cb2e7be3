import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { goodPassword, type SignedIn, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { outcome } from "../../../lab/agents/running-agent.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { operationIds, operationOf } from "../../../src/contract/operations.ts";

describe("a one-use initial password", () => {
  let id: string;
  let initial: string;
  let first: SignedIn;
  const signIn = (password: string) =>
    agent.call("POST", "/api/auth/login", { body: { username: "fresh", password } });
  const agent = ofSuite(startCheckedAgent);
  const admin = ofSuite(() => agent.signedInAdmin());
  before(async () => {
    const body = { username: "fresh", role: "admin" };
    const { json } = await agent.call("POST", "/api/users", { body, token: admin.token });
    id = json.id;
    initial = json.initial_password;
    assert.equal(json.must_change_password, true);
  });

  it("signs in once, and says that it is spent", async () => {
    const { status, json } = await signIn(initial);
    assert.equal(status, 200);
    assert.equal(json.user.must_change_password, true);
    assert.equal(json.warnings.length, 1);
    first = { id, token: json.access_token, refreshToken: json.refresh_token };
  });

  it("does not sign in a second time, with the answer of any wrong password", async () => {
    const again = await signIn(initial);
    const wrong = await signIn("not the password of any user");
    assert.equal(again.status, 401);
    assert.equal(again.json.code, "invalid_credentials");
    assert.deepEqual({ ...again.json, request_id: "" }, { ...wrong.json, request_id: "" });
  });

  for (const operationId of operationIds) {
    const { method, path, access, body, beforePasswordChange } = operationOf(operationId);
    if (access === "open" || beforePasswordChange) continue;
    it(`opens nothing else before the change: ${method} ${path} is 403 password_change_required`, async () => {
      const options = { token: first.token, ...(body && { body: {} }) };
      assert.equal(
        await outcome(agent.call(method, path.replace("{id}", id), options)),
        "403 password_change_required",
      );
    });
  }

  it("opens /api/auth/me and a refresh, and the refreshed session may do no more", async () => {
    assert.equal((await agent.call("GET", "/api/auth/me", { token: first.token })).status, 200);
    const body = { refresh_token: first.refreshToken };
    const { status, json } = await agent.call("POST", "/api/auth/refresh", { body });
    assert.equal(status, 200);
    first = { ...first, token: json.access_token };
    const { json: refused } = await agent.call("GET", "/api/users", { token: first.token });
    assert.equal(refused.code, "password_change_required");
  });

  it("gives all rights to the same session once users have chosen their own", async () => {
    const body = { current_password: initial, new_password: goodPassword };
    assert.equal((await agent.call("PUT", "/api/auth/password", { token: first.token, body })).status, 204);
    assert.equal((await agent.call("GET", "/api/users", { token: first.token })).status, 200);
    assert.equal((await signIn(initial)).status, 401);
    const { json } = await signIn(goodPassword);
    assert.deepEqual([json.user.must_change_password, json.warnings], [false, []]);
  });

  describe("by password-reset", () => {
    it("ends every session of the user at once, and is one-use again", async () => {
      const { json } = await agent.call("POST", `/api/users/${id}/password-reset`, {
        token: admin.token,
        body: {},
      });
      assert.equal(json.must_change_password, true);
      const me = await agent.call("GET", "/api/auth/me", { token: first.token });
      assert.deepEqual([me.status, me.json.reason], [401, "revoked"]);
      assert.equal((await signIn(goodPassword)).status, 401);
      assert.equal((await signIn(json.initial_password)).status, 200);
      assert.equal((await signIn(json.initial_password)).status, 401);
    });
  });

  it("lets exactly one of two sign-ins at the same moment in", async () => {
    const { json } = await agent.call("POST", `/api/users/${id}/password-reset`, {
      token: admin.token,
      body: {},
    });
    const body = { username: "fresh", password: json.initial_password };
    const both = await Promise.all([1, 2].map(() => agent.call("POST", "/api/auth/login", { body })));
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 401]);
  });
});
