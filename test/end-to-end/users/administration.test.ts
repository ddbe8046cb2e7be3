import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { goodPassword, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";

describe("what administrators are told where they take the wrong way", () => {
  const agent = ofSuite(startCheckedAgent);
  const admin = ofSuite(() => agent.signedInAdmin());
  const user = ofSuite(() => agent.signedIn("olga", "operator"));

  it("another's second factor goes by recover and a reason, which an operator, who cannot, is not told", async () => {
    const disable = async (id: string, by: object) => {
      const body = { password: goodPassword, code: "123456" };
      const { status, json } = await agent.call("POST", `/api/users/${id}/2fa/disable`, { ...by, body });
      assert.deepEqual([status, json.code], [403, "forbidden"]);
      return json.detail as string;
    };
    for (const by of [{ token: admin.token }, { local: true }]) {
      const detail = await disable(user.id, by);
      assert.match(detail, /2fa\/recover and a `reason`.*`steward user 2fa reset NAME --reason TEXT`/s);
    }
    assert.doesNotMatch(await disable(admin.id, { token: user.token }), /recover|reset/);
  });

  it("a token is not made while it would be refused: its owner has a one-use password", async () => {
    const root = (path: string, body: object) => agent.call("POST", path, { local: true, body });
    const { json: fresh } = await root("/api/users", { username: "fresh", role: "readonly" });
    const made = await root("/api/tokens", { name: "fleet", scopes: ["system:read"], user_id: fresh.id });
    assert.deepEqual([made.status, made.json.code], [403, "password_change_required"]);
    assert.match(made.json.detail, /`steward user passwd fresh`/);
  });
});
