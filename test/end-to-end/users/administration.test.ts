import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { runSteward } from "../../../lab/agents/agent-in-process.ts";
import {
  type CheckedAgent,
  goodPassword,
  type SignedIn,
  startCheckedAgent,
} from "../../../lab/agents/checked-agent.ts";

let agent: CheckedAgent;
let admin: SignedIn;
let user: SignedIn;
before(async () => {
  agent = await startCheckedAgent();
  admin = await agent.signedInAdmin();
  user = await agent.signedIn("olga", "operator");
});
after(() => agent.dispose());

describe("an administrator who switches off another user's second factor like the own one", () => {
  const disable = async (id: string, by: object) => {
    const body = { password: goodPassword, code: "123456" };
    const { status, json } = await agent.call("POST", `/api/users/${id}/2fa/disable`, { ...by, body });
    assert.deepEqual([status, json.code], [403, "forbidden"]);
    return json.detail as string;
  };
  it("is told of recover, and that it takes a reason", async () => {
    for (const by of [{ token: admin.token }, { local: true }]) {
      const detail = await disable(user.id, by);
      assert.match(detail, /POST \/api\/users\/\{id\}\/2fa\/recover and a `reason`/);
      assert.match(detail, /`steward user 2fa reset NAME --reason TEXT`/);
    }
  });
  it("which an operator, who cannot, is not", async () => {
    assert.doesNotMatch(await disable(admin.id, { token: user.token }), /recover|reset/);
  });
});

describe("an API token that root makes for a user", () => {
  const body = { name: "fleet", scopes: ["system:read"] };
  const make = (change: object, by: object = { local: true }) =>
    agent.call("POST", "/api/tokens", { ...by, body: { ...body, ...change } });

  it("takes neither the user's password nor a code, and works", async () => {
    const words = ["--socket", agent.socket, "token", "add", "--user", "olga", "--name", "fleet"];
    const { code, stdout, stderr } = await runSteward([...words, "--scope", "system:read"]);
    assert.equal(code, 0, stderr);
    assert.equal((await agent.call("GET", "/api/system", { token: stdout.trim() })).status, 200);
  });
  it("is not made while it would be refused: the owner has a one-use password", async () => {
    const added = await agent.call("POST", "/api/users", {
      ...{ local: true, body: { username: "fresh", role: "readonly" } },
    });
    const { status, json } = await make({ user_id: added.json.id });
    assert.deepEqual([status, json.code], [403, "password_change_required"]);
    assert.match(json.detail, /`steward user passwd fresh`/);
  });
});
