import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { goodPassword, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { adminName, adminPassword } from "../../../lab/agents/running-agent.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";

describe("the last administrator", () => {
  let first: string;
  let second: string;
  const put = (id: string, body: object) => agent.call("PUT", `/api/users/${id}`, { body, local: true });
  const administrators = async () => (await agent.read("/api/users?role=admin&enabled=true")).total;
  const agent = ofSuite(startCheckedAgent);
  before(async () => {
    first = (await agent.signedInAdmin()).id;
    const body = { username: "deputy", role: "operator", password: goodPassword };
    second = (await agent.call("POST", "/api/users", { body, local: true })).json.id;
  });

  it("of two demotions at the same moment exactly one wins, in each of 20 rounds", async () => {
    for (let round = 0; round < 20; round += 1) {
      await put(first, { role: "admin", enabled: true });
      await put(second, { role: "admin", enabled: true });
      const both = await Promise.all([put(first, { role: "readonly" }), put(second, { role: "readonly" })]);
      assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409], `round ${round}`);
      assert.equal(await administrators(), 1);
    }
  });
});

describe("the only administrator who can sign in, beside one who was given a one-use password", () => {
  const agent = ofSuite(startCheckedAgent);
  let boss: { id: string; token: string };
  let second: string;
  let oneUse: string;
  const call = (method: string, path: string, body: object = {}) =>
    agent.call(method, `/api/users/${boss.id}${path}`, {
      token: boss.token,
      ...(method !== "DELETE" && { body }),
    });
  const attempts = {
    "demotes themselves": () => call("PUT", "", { role: "readonly" }),
    "disables themselves": () => call("PUT", "", { enabled: false }),
    "deletes themselves": () => call("DELETE", ""),
    "takes a one-use password": () => call("POST", "/password-reset"),
    "lets the password work once more": () => call("PUT", "", { must_change_password: true }),
    "is removed by root": () => agent.call("DELETE", `/api/users/${boss.id}`, { local: true }),
    "is demoted by root": () =>
      agent.call("PUT", `/api/users/${boss.id}`, { local: true, body: { role: "readonly" } }),
    "is demoted by a file": () => applied({ users: [{ name: adminName, role: "readonly" }] }),
    "is not named by a file": () => applied({ users: [{ name: "second" }], users_not_named: "remove" }),
  };
  const applied = (file: object) =>
    agent.call("POST", "/api/configuration", { local: true, body: { version: 1, ...file } });
  const assertShut = async (why: string) => {
    for (const [what, attempt] of Object.entries(attempts)) {
      const { status, json, text } = await attempt();
      const [{ code } = json] = json.errors ?? [];
      assert.deepEqual([status, code], [json.errors ? 400 : 409, "last_admin"], `${what}: ${text}`);
      assert.ok(json.detail.includes(`second ${why}`), `${what}: ${text}`);
    }
    const { status } = await agent
      .login(adminName, adminPassword)
      .then(({ token }) => agent.call("GET", "/api/users", { token }));
    assert.equal(status, 200, "the administrator is as before");
  };
  before(async () => {
    boss = await agent.signedInAdmin();
    const made = await agent.call("POST", "/api/users", {
      local: true,
      body: { username: "second", role: "admin" },
    });
    [second, oneUse] = [made.json.id, made.json.initial_password];
  });

  it("stays until that one has signed in", () =>
    assertShut("has not signed in with the one-use password yet"));

  it("and has chosen a password", async () => {
    const { token, refreshToken } = await agent.login("second", oneUse);
    await assertShut("has not replaced the one-use password yet");
    await agent.call("POST", "/api/auth/logout", { token, body: { refresh_token: refreshToken } });
    await assertShut("has used up the one-use password and chosen no other");
  });

  it("and may go then", async () => {
    const reset = await agent.call("POST", `/api/users/${second}/password-reset`, { local: true, body: {} });
    const { token } = await agent.login("second", reset.json.initial_password);
    const body = { current_password: reset.json.initial_password, new_password: goodPassword };
    assert.equal((await agent.call("PUT", "/api/auth/password", { token, body })).status, 204);
    assert.equal((await call("DELETE", "")).status, 204);
  });
});
