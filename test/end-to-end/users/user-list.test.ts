import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { goodPassword, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { outcome } from "../../../lab/agents/running-agent.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";

describe("the list of users", () => {
  const agent = ofSuite(startCheckedAgent);
  before(async () => {
    await agent.signedInAdmin();
    for (const more of [
      { username: "carol", display_name: "Carol Needle" },
      { username: "alice", role: "operator" },
      { username: "dave", enabled: false },
      { username: "bob" },
      { username: "erin", role: "operator", enabled: false, display_name: "ÉRIN" },
    ]) {
      const body = { role: "readonly", password: goodPassword, ...more };
      await agent.call("POST", "/api/users", { body, local: true });
    }
  });

  it("has those that are asked for, in the order that is asked for", async () => {
    for (const [query, expected] of [
      ["", "alice bob carol dave erin root-admin"],
      ["?role=operator", "alice erin"],
      ["?enabled=false", "dave erin"],
      ["?enabled=true&role=operator", "alice"],
      ["?locked=true", ""],
      ["?locked=false&role=readonly", "bob carol dave"],
      ["?two_factor=true", ""],
      ["?two_factor=false&role=operator", "alice erin"],
      ["?signed_in=true", "root-admin"],
      ["?signed_in=false&enabled=true", "alice bob carol"],
      ["?q=NEEDLE", "carol"],
      ["?q=%C3%A9rin", "erin"],
      ["?q=a&role=readonly", "carol dave"],
      ["?q=%25", ""],
      ["?q=.*", ""],
      ["?sort=-username&limit=2", "root-admin erin"],
      ["?sort=created_at", "root-admin carol alice dave bob erin"],
      ["?sort=-created_at&limit=1", "erin"],
      ["?sort=-last_login_at&limit=1", "root-admin"],
    ] as const) {
      const { items } = await agent.read(`/api/users${query}`);
      const names = items.map(({ username }: { username: string }) => username);
      assert.equal(names.join(" "), expected, query);
    }
  });

  it("counts the users of each kind, whatever was asked for", async () => {
    assert.deepEqual((await agent.read("/api/users?q=carol&limit=1")).counts, {
      ...{ admin: 1, operator: 2, readonly: 3, active: 4, locked: 0, disabled: 2 },
      ...{ former_provider: 0, without_two_factor: 4, never_signed_in: 5 },
    });
  });

  it("is none for a parameter that is twice there, unknown or out of its bounds", async () => {
    for (const [query, code] of [
      ["?limit=201", "validation_failed"],
      ["?sort=password_hash", "validation_failed"],
      ["?role=admin&role=operator", "validation_failed"],
      ["?Role=admin", "unknown_field"],
    ] as const)
      assert.equal(await outcome(agent.call("GET", `/api/users${query}`, { local: true })), `400 ${code}`);
  });
});
