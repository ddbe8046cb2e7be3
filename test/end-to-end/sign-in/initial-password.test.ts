import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { goodPassword, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { outcome } from "../../../lab/agents/running-agent.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { operationIds, operationOf } from "../../../src/contract/operations.ts";

describe("a one-use initial password", () => {
  const agent = ofSuite(startCheckedAgent);
  let id: string;
  let initial: string;
  let [token, refresh_token] = ["", ""];
  const signIn = (password: string) =>
    agent.call("POST", "/api/auth/login", { body: { username: "fresh", password } });
  const reset = async (): Promise<string> => {
    const path = `/api/users/${id}/password-reset`;
    return (await agent.call("POST", path, { local: true, body: {} })).json.initial_password;
  };
  const list = () => outcome(agent.call("GET", "/api/users", { token }));
  before(async () => {
    await agent.signedInAdmin();
    const body = { username: "fresh", role: "admin" };
    const { json } = await agent.call("POST", "/api/users", { body, local: true });
    assert.equal(json.must_change_password, true);
    ({ id, initial_password: initial } = json);
  });

  it("signs in once, and says that it is spent", async () => {
    const { json } = await signIn(initial);
    assert.deepEqual([json.user.must_change_password, json.warnings.length], [true, 1]);
    ({ access_token: token, refresh_token } = json);
    const [again, wrong] = [await signIn(initial), await signIn("not the password of any user")];
    assert.equal(again.json.code, "invalid_credentials");
    assert.deepEqual({ ...again.json, request_id: "" }, { ...wrong.json, request_id: "" });
  });

  for (const operationId of operationIds) {
    const { method, path, access, body, beforePasswordChange } = operationOf(operationId);
    if (access === "open" || beforePasswordChange) continue;
    it(`opens nothing else before the change: ${method} ${path} is 403 password_change_required`, async () => {
      const asked = agent.call(method, path.replace("{id}", id), { token, ...(body && { body: {} }) });
      assert.equal(await outcome(asked), "403 password_change_required");
    });
  }

  it("opens /api/auth/me and a refresh, and all to the same session once a password was chosen", async () => {
    assert.equal((await agent.call("GET", "/api/auth/me", { token })).status, 200);
    const refreshed = await agent.call("POST", "/api/auth/refresh", { body: { refresh_token } });
    token = refreshed.json.access_token;
    assert.equal(await list(), "403 password_change_required");
    const body = { current_password: initial, new_password: goodPassword };
    assert.equal((await agent.call("PUT", "/api/auth/password", { token, body })).status, 204);
    assert.equal(await list(), "200");
    assert.equal((await signIn(initial)).status, 401);
    const { json } = await signIn(goodPassword);
    assert.deepEqual([json.user.must_change_password, json.warnings], [false, []]);
  });

  it("by a reset ends every session at once, and lets exactly one of two sign-ins at the same moment in", async () => {
    const next = await reset();
    assert.equal(await list(), "401 invalid_token");
    assert.equal((await signIn(goodPassword)).status, 401);
    const both = await Promise.all([signIn(next), signIn(next)]);
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 401]);
    assert.equal((await signIn(next)).status, 401);
  });
});
