import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { type CheckedAgent, goodPassword, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { adminPassword, outcome } from "../../../lab/agents/running-agent.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { operationIds, operationOf } from "../../../src/contract/operations.ts";

const tokenFile = (agent: CheckedAgent) => join(agent.runDirectory, "setup-token");
const readToken = async (agent: CheckedAgent) => (await readFile(tokenFile(agent), "utf8")).trim();
const setUp = (agent: CheckedAgent, setup_token: string, named: object = {}) =>
  agent.call("POST", "/api/setup", {
    body: { setup_token, username: "first-admin", password: adminPassword, ...named },
  });
const isRequired = async (agent: CheckedAgent) =>
  (await agent.call("GET", "/api/setup")).json.setup_required as boolean;

describe("before setup", () => {
  const agent = ofSuite(startCheckedAgent);

  const open = [
    ...["getVersion", "getHealth", "getReadiness", "getOpenApi", "greetConsole", "getSetup", "setUp"],
    // They ask for the setup token, as setUp does: test/end-to-end/restore-setup-token.test.ts.
    ...["receiveBackup", "restoreBackup"],
  ];
  for (const id of operationIds) {
    const { method, path, body } = operationOf(id);
    const isOpen = open.includes(id);
    it(`${method} ${path} ${isOpen ? "answers" : "is 503 setup_required"} over TCP`, async () => {
      const options = { ...(body && { body: {} }), token: "any.old.token" };
      const answer = await agent.call(method, path.replace("{id}", `usr_${"0".repeat(32)}`), options);
      assert.equal((await outcome(answer)) === "503 setup_required", !isOpen, answer.text);
    });
  }

  it("the console and the socket are there, and a user who is no administrator ends nothing", async () => {
    assert.equal((await agent.call("GET", "/")).status, 200);
    assert.equal((await agent.read("/api/users")).total, 0);
    const body = { username: "reader", role: "readonly", password: goodPassword };
    assert.equal((await agent.call("POST", "/api/users", { body, local: true })).status, 201);
    assert.equal(await isRequired(agent), true);
    const named = { username: "reader" };
    assert.equal(await outcome(setUp(agent, await readToken(agent), named)), "409 username_taken");
  });

  it("the token has 128 bits, is its owner's alone, and the log names only its file", async () => {
    const token = await readToken(agent);
    assert.equal(Buffer.from(token, "base64url").length, 16);
    assert.equal((await stat(tokenFile(agent))).mode & 0o777, 0o600);
    const logged = [tokenFile(agent), token].map((one) => agent.log().includes(one));
    assert.deepEqual(logged, [true, false]);
  });

  it("the right token with a bad password or name does not spend it", async () => {
    const token = await readToken(agent);
    const weak = setUp(agent, token, { password: "passwordpassword" });
    assert.equal(await outcome(weak), "422 password_blocklisted");
    assert.equal(await outcome(setUp(agent, token, { username: "Root-Admin" })), "400 validation_failed");
    assert.equal(await readToken(agent), token);
  });

  it("the right token makes the administrator, who signs in; the token is gone", async () => {
    const { status, json } = await setUp(agent, await readToken(agent), { display_name: "Ana Müller" });
    const { role, username, display_name, must_change_password } = json;
    assert.deepEqual([status, role, username, display_name], [201, "admin", "first-admin", "Ana Müller"]);
    assert.deepEqual([must_change_password, existsSync(tokenFile(agent))], [false, false]);
    await agent.login("first-admin", adminPassword);
    assert.equal(await isRequired(agent), false);
    for (const token of ["x", "A".repeat(22)])
      assert.equal(await outcome(setUp(agent, token, { username: "second" })), "409 setup_already_done");
    assert.equal((await agent.read("/api/users?role=admin")).total, 1);
  });
});

describe("a device without an administrator", () => {
  it("gets exactly one by several setups at the same moment with the right token", async (t) => {
    const agent = await startCheckedAgent();
    t.after(() => agent.dispose());
    const token = await readToken(agent);
    const names = ["racer-a", "racer-b", "racer-c", "racer-d", "racer-e"];
    const answers = names.map((username) => outcome(setUp(agent, token, { username })));
    const [made, ...others] = (await Promise.all(answers)).sort();
    assert.equal(made, "201");
    for (const one of others) assert.match(one, /setup_already_done|setup_token_invalid|hashing_busy/);
    assert.equal((await agent.read("/api/users")).total, 1);
  });
});
