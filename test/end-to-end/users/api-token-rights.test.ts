import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type SignedIn, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { outcome } from "../../../lab/agents/running-agent.ts";
import { openStream } from "../../../lab/agents/stream-reader.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";

describe("an API token may do", () => {
  const agent = ofSuite(startCheckedAgent);
  ofSuite(() => agent.signedInAdmin());

  const makeToken = async (owner: SignedIn, ...scopes: string[]) => {
    const body = { name: scopes.join(), scopes, expires_in: "1d" };
    const { status, json, text } = await agent.call("POST", "/api/tokens", { token: owner.token, body });
    assert.equal(status, 201, text);
    return json as { id: string; token: string };
  };
  const read = (path: string, token: string, local = false) =>
    outcome(agent.call("GET", path, { token, local }));
  const setRole = async ({ id }: SignedIn, role: string) =>
    assert.equal((await agent.call("PUT", `/api/users/${id}`, { local: true, body: { role } })).status, 200);

  it("only what the role of its owner allows now, and no more over the socket", async () => {
    const owner = await agent.signedIn("shrinking", "admin");
    const { token } = await makeToken(owner, "users:read", "events:read", "logs:read");
    for (const [role, users, events] of [
      ["operator", "403 forbidden", "200"],
      ["readonly", "403 forbidden", "403 forbidden"],
      ["admin", "200", "200"],
    ] as const) {
      await setRole(owner, role);
      const rights = [await read("/api/users", token), await read("/api/events", token)];
      assert.deepEqual([...rights, await read("/api/logs", token)], [users, events, "200"], role);
    }
    assert.equal(await read("/api/users", token, true), "200");
    assert.equal(await read("/api/system", token, true), "403 insufficient_scope");
    assert.equal(await read("/api/tokens", token, true), "403 token_not_allowed");
  });

  it("nothing once the owner is gone, also when another of that name comes", async () => {
    const owner = await agent.signedIn("leaving", "operator");
    const { id, token } = await makeToken(owner, "system:read");
    assert.equal((await agent.call("DELETE", `/api/users/${owner.id}`, { local: true })).status, 204);
    await agent.signedIn("leaving", "operator");
    assert.equal(await read("/api/system", token), "401 invalid_token");
    const { items } = await agent.read("/api/tokens");
    assert.ok(!items.some((one: { id: string }) => one.id === id), "the token is still listed");
  });

  it("nothing while its owner has a one-use password, so that it is not made then", async () => {
    const root = (path: string, body: object) => agent.call("POST", path, { local: true, body });
    const { json: fresh } = await root("/api/users", { username: "fresh", role: "readonly" });
    const made = await root("/api/tokens", { name: "fleet", scopes: ["system:read"], user_id: fresh.id });
    assert.equal(await outcome(made), "403 password_change_required");
    assert.match(made.json.detail, /`steward user passwd fresh`/);
  });

  it("of settings the operator's part alone, also when it is an administrator's", async () => {
    const { token } = await makeToken(await agent.signedIn("writer", "admin"), "system:write");
    const write = (body: object) => agent.call("PUT", "/api/system", { token, body });
    assert.equal((await write({ device: { name: "Pump house" } })).status, 200);
    for (const body of [
      { time: { mode: "manual" } },
      { device: { name: "Lock house" }, security: { session_idle: "24h" } },
    ]) {
      const { status, json } = await write(body);
      assert.deepEqual([status, json.code], [403, "insufficient_scope"], JSON.stringify(body));
      assert.match(json.detail, /^The scope system:write (?!.*Your role)/);
    }
    const { device, time } = await agent.read("/api/system");
    assert.deepEqual([device.name, time.mode === "manual"], ["Pump house", false]);
  });

  describe("reads a stream", () => {
    it("until its owner's role shrinks", async () => {
      const owner = await agent.signedIn("streamer", "operator");
      const { token } = await makeToken(owner, "events:read");
      const stream = await openStream({ where: agent.port, path: "/api/events/stream", token });
      assert.equal(stream.status, 200);
      await setRole(owner, "readonly");
      await stream.ended;
    });
  });
});
