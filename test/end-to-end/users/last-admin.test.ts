import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { goodPassword, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";

describe("the last administrator", () => {
  let first: string;
  let second: string;
  const put = (id: string, body: object) => agent.call("PUT", `/api/users/${id}`, { body, local: true });
  const remove = (id: string) => agent.call("DELETE", `/api/users/${id}`, { local: true });
  const administrators = async () =>
    (await agent.call("GET", "/api/users?role=admin&enabled=true", { local: true })).json.total;
  const agent = ofSuite(startCheckedAgent);
  before(async () => {
    first = (await agent.signedInAdmin()).id;
    const body = { username: "deputy", role: "operator", password: goodPassword };
    second = (await agent.call("POST", "/api/users", { body, local: true })).json.id;
  });

  for (const [what, attempt] of Object.entries({
    "cannot be demoted": () => put(first, { role: "operator" }),
    "cannot be disabled": () => put(first, { enabled: false }),
    "cannot be deleted": () => remove(first),
  })) {
    it(what, async () => {
      const before = (await agent.call("GET", `/api/users/${first}`, { local: true })).json;
      const { status, json } = await attempt();
      assert.deepEqual([status, json.code], [409, "last_admin"]);
      assert.deepEqual((await agent.call("GET", `/api/users/${first}`, { local: true })).json, before);
    });
  }

  it("does not count administrators who are disabled", async () => {
    await put(second, { role: "admin", enabled: false });
    assert.equal((await put(first, { role: "readonly" })).json.code, "last_admin");
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

  it("of a deletion and a disabling at the same moment exactly one wins", async () => {
    await put(first, { role: "admin", enabled: true });
    await put(second, { role: "admin", enabled: true });
    const both = await Promise.all([remove(second), put(first, { enabled: false })]);
    assert.equal(both.filter(({ status }) => status === 409).length, 1);
    assert.equal(await administrators(), 1);
  });
});
