import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { type CheckedAgent, type SignedIn, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { type OpenedStream, openStream } from "../../../lab/agents/stream-reader.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { until } from "../../../lab/basics/until.ts";

type Made = { id: string; token: string };

const makeToken = async (
  agent: CheckedAgent,
  owner: SignedIn,
  scopes: string[],
  expires_in = "1d",
): Promise<Made> => {
  const body = { name: scopes.join(), scopes, expires_in };
  const { status, json, text } = await agent.call("POST", "/api/tokens", { token: owner.token, body });
  assert.equal(status, 201, text);
  return json;
};

describe("an API token may do", () => {
  const agent = ofSuite(startCheckedAgent);
  before(() => agent.signedInAdmin());

  const codeOf = async (path: string, token: string, local = false) => {
    const { status, json } = await agent.call("GET", path, { token, local });
    return status === 200 ? 200 : `${status} ${json.code}`;
  };
  const change = async (id: string, body: object) => {
    const { status, text } = await agent.call("PUT", `/api/users/${id}`, { local: true, body });
    assert.equal(status, 200, text);
  };

  describe("only what its owner may do now", () => {
    it("less from the moment that the owner's role shrinks, and the same again when it grows", async () => {
      const owner = await agent.signedIn("shrinking", "admin");
      const { token } = await makeToken(agent, owner, ["users:read", "events:read", "logs:read"]);
      const rights = async () =>
        Promise.all(["/api/users", "/api/events", "/api/logs"].map((path) => codeOf(path, token)));
      assert.deepEqual(await rights(), [200, 200, 200]);
      await change(owner.id, { role: "operator" });
      assert.deepEqual(await rights(), ["403 forbidden", 200, 200]);
      await change(owner.id, { role: "readonly" });
      assert.deepEqual(await rights(), ["403 forbidden", "403 forbidden", 200]);
      await change(owner.id, { role: "admin" });
      assert.deepEqual(await rights(), [200, 200, 200]);
    });
    it("nothing once the owner is gone, also when another of that name comes", async () => {
      const owner = await agent.signedIn("leaving", "operator");
      const { id, token } = await makeToken(agent, owner, ["system:read"]);
      assert.equal((await agent.call("DELETE", `/api/users/${owner.id}`, { local: true })).status, 204);
      await agent.signedIn("leaving", "operator");
      assert.equal(await codeOf("/api/system", token), "401 invalid_token");
      const { text } = await agent.call("GET", "/api/tokens", { local: true });
      assert.ok(!text.includes(id), "the token is still listed");
    });
  });

  it("of settings the operator's part alone, also when it is an administrator's", async () => {
    const { token } = await makeToken(agent, await agent.signedIn("writer", "admin"), ["system:write"]);
    const write = (body: object) => agent.call("PUT", "/api/system", { token, body });
    assert.equal((await write({ device: { name: "Pump house" } })).status, 200);
    for (const body of [
      { security: { require_2fa: "all" } },
      { time: { mode: "manual" } },
      { update: { ota: { server: "https://updates.example.net" } } },
      { device: { name: "Lock house" }, security: { session_idle: "24h" } },
    ]) {
      const { status, json } = await write(body);
      assert.deepEqual([status, json.code], [403, "insufficient_scope"], JSON.stringify(body));
      assert.match(json.detail, /^The scope system:write /);
      assert.doesNotMatch(json.detail, /Your role/);
    }
    const json = await agent.read("/api/system");
    assert.deepEqual([json.device.name, json.security.require_2fa], ["Pump house", "none"]);
  });

  it("no more over the local socket: there it lowers the rights of local root", async () => {
    const owner = await agent.signedIn("local", "admin");
    const { id, token } = await makeToken(agent, owner, ["system:read"]);
    assert.equal(await codeOf("/api/system", token, true), 200);
    assert.equal(await codeOf("/api/users", token, true), "403 insufficient_scope");
    assert.equal(await codeOf("/api/tokens", token, true), "403 token_not_allowed");
    await agent.call("DELETE", `/api/tokens/${id}`, { local: true });
    assert.equal(await codeOf("/api/system", token, true), "401 invalid_token");
  });

  describe("reads a stream", () => {
    const open = async (name: string): Promise<Made & { owner: SignedIn; stream: OpenedStream }> => {
      const owner = await agent.signedIn(name, "operator");
      const made = await makeToken(agent, owner, ["events:read"]);
      const path = "/api/events/stream";
      const stream = await openStream({ where: agent.port, path, token: made.token });
      assert.equal(stream.status, 200);
      return { ...made, owner, stream };
    };
    const hasEnded = (stream: OpenedStream): Promise<boolean> => {
      let is = false;
      void stream.ended.then(() => {
        is = true;
      });
      return until("the stream has ended", () => is).then(() => true);
    };
    it("until its owner's role shrinks", async () => {
      const { owner, stream } = await open("streamer-3");
      await change(owner.id, { role: "readonly" });
      assert.equal(await hasEnded(stream), true, "it has ended");
    });
  });
});
