import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { goodPassword, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { adminName, adminPassword } from "../../../lab/agents/running-agent.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";

describe("the last administrator", () => {
  const agent = ofSuite(startCheckedAgent);
  const boss = ofSuite(() => agent.signedInAdmin());
  const root = (method: string, path: string, body?: object) =>
    agent.call(method, path, { local: true, ...(body && { body }) });
  const put = (id: string, body: object) => root("PUT", `/api/users/${id}`, body);
  const own = (method: string, path: string, body?: object) =>
    agent.call(method, `/api/users/${boss.id}${path}`, { token: boss.token, ...(body && { body }) });
  const apply = (file: object) => root("POST", "/api/configuration", { version: 1, ...file });
  let second: { id: string; initial_password: string };
  before(async () => {
    second = (await root("POST", "/api/users", { username: "second", role: "admin" })).json;
  });

  it("goes by no door beside one who has not signed in with the one-use password", async () => {
    const attempts = {
      "demotes themselves": () => own("PUT", "", { role: "readonly" }),
      "deletes themselves": () => own("DELETE", ""),
      "takes a one-use password": () => own("POST", "/password-reset", {}),
      "is removed by root": () => root("DELETE", `/api/users/${boss.id}`),
      "is demoted by a file": () => apply({ users: [{ name: adminName, role: "readonly" }] }),
      "is not named by a file": () => apply({ users: [{ name: "second" }], users_not_named: "remove" }),
    };
    for (const [what, attempt] of Object.entries(attempts)) {
      const { status, json, text } = await attempt();
      const refusal = [status, json.errors?.[0].code ?? json.code];
      assert.deepEqual(refusal, [json.errors ? 400 : 409, "last_admin"], what);
      assert.ok(json.detail.includes("second has not signed in with the one-use password yet"), text);
    }
    const { token } = await agent.login(adminName, adminPassword);
    assert.equal((await agent.call("GET", "/api/users", { token })).status, 200, "as before");
  });

  it("of two demotions at the same moment exactly one wins, in each of 20 rounds", async () => {
    const { token } = await agent.login("second", second.initial_password);
    const body = { current_password: second.initial_password, new_password: goodPassword };
    assert.equal((await agent.call("PUT", "/api/auth/password", { token, body })).status, 204);
    for (let round = 0; round < 20; round += 1) {
      for (const { id } of [boss, second]) await put(id, { role: "admin" });
      const both = await Promise.all([boss, second].map(({ id }) => put(id, { role: "readonly" })));
      assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409], `round ${round}`);
      assert.equal((await agent.read("/api/users?role=admin&enabled=true")).total, 1);
    }
  });
});
