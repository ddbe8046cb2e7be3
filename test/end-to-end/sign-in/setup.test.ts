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
const setUp = (
  agent: CheckedAgent,
  setup_token: string,
  username = "first-admin",
  password = adminPassword,
  named: object = {},
) => agent.call("POST", "/api/setup", { body: { setup_token, username, password, ...named } });

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
      assert.equal(answer.json?.code === "setup_required", !isOpen, answer.text);
      if (!isOpen) assert.equal(answer.status, 503);
    });
  }

  it("the console and the socket are there, and setup_required is said", async () => {
    assert.equal((await agent.call("GET", "/")).status, 200);
    assert.equal((await agent.call("GET", "/api/users", { local: true })).status, 200);
    assert.equal((await agent.call("GET", "/api/system", { local: true })).status, 200);
    assert.deepEqual((await agent.call("GET", "/api/setup")).json, { setup_required: true });
  });

  it("a user who is no administrator ends nothing: setup is still required", async () => {
    const body = { username: "reader", role: "readonly", password: goodPassword };
    assert.equal((await agent.call("POST", "/api/users", { body, local: true })).status, 201);
    assert.deepEqual((await agent.call("GET", "/api/setup")).json, { setup_required: true });
    assert.equal(await outcome(setUp(agent, await readToken(agent), "reader")), "409 username_taken");
  });

  it("the token has 128 bits, is its owner's alone, and the log names only its file", async () => {
    const token = await readToken(agent);
    assert.equal(Buffer.from(token, "base64url").length, 16);
    assert.equal((await stat(tokenFile(agent))).mode & 0o777, 0o600);
    assert.ok(agent.log().includes(tokenFile(agent)), "agent.log().includes(tokenFile(agent))");
    assert.ok(!agent.log().includes(token), "!agent.log().includes(token)");
  });

  it("the right token with a bad password or name does not spend it", async () => {
    const token = await readToken(agent);
    assert.equal(
      (await setUp(agent, token, "first-admin", "passwordpassword")).json.code,
      "password_blocklisted",
    );
    assert.equal((await setUp(agent, token, "Root-Admin")).json.code, "validation_failed");
    assert.equal(await readToken(agent), token);
  });

  it("the right token makes the administrator, who signs in; the token is gone", async () => {
    const named = { display_name: "Ana Müller" };
    const { status, json } = await setUp(agent, await readToken(agent), undefined, undefined, named);
    assert.deepEqual([status, json.role, json.username], [201, "admin", "first-admin"]);
    assert.equal(json.display_name, "Ana Müller");
    assert.equal(json.must_change_password, false);
    assert.equal(existsSync(tokenFile(agent)), false);
    await agent.login("first-admin", adminPassword);
    assert.deepEqual((await agent.call("GET", "/api/setup")).json, { setup_required: false });
  });

  it("a second setup is refused, with any token", async () => {
    for (const token of ["x", "A".repeat(22)]) {
      assert.equal(
        await outcome(setUp(agent, token, "second-admin", goodPassword)),
        "409 setup_already_done",
      );
    }
    const json = await agent.read("/api/users?role=admin");
    assert.equal(json.total, 1);
  });
});

describe("setups at the same moment", () => {
  it("with the right token make exactly one administrator", async (t) => {
    const agent = await startCheckedAgent();
    t.after(() => agent.dispose());
    const token = await readToken(agent);
    const names = ["racer-a", "racer-b", "racer-c", "racer-d", "racer-e"];
    const answers = await Promise.all(names.map((name) => setUp(agent, token, name)));
    const statuses = answers.map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 201).length, 1, String(statuses));
    for (const { status, json } of answers) {
      const isRefused = ["setup_already_done", "setup_token_invalid", "hashing_busy"].includes(json.code);
      assert.ok(status === 201 || isRefused, json.code);
    }
    const json = await agent.read("/api/users");
    assert.equal(json.total, 1);
  });
});

describe("an administrator made on the device", () => {
  it("ends setup, and the token is gone", async (t) => {
    const agent = await startCheckedAgent();
    t.after(() => agent.dispose());
    const token = await readToken(agent);
    await agent.signedInAdmin();
    assert.equal(existsSync(tokenFile(agent)), false);
    assert.equal((await setUp(agent, token)).json.code, "setup_already_done");
  });
});
