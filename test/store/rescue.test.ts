import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { assertFits } from "../../lab/agents/answer-validators.ts";
import { type AgentProcess, runSteward } from "../../lab/agents/running-agent.ts";
import { type Ending, endOfSuite, temporaryDirectory } from "../../lab/basics/ending.ts";
import { heldPort } from "../../lab/basics/held-ports.ts";
import { until } from "../../lab/basics/until.ts";
import { damageBoth, type LivedInState, login, makeLivedInState } from "../../lab/state/damaged-state.ts";
import { becomes, keptFiles, startAgent } from "../../lab/state/state-directory.ts";
import { operationIds, operationOf } from "../../src/contract/operations.ts";
import { timeSync } from "../../src/contract/schemas/clock.ts";
import { consoleGreeting } from "../../src/contract/schemas/console.ts";
import { status as deviceStatus } from "../../src/contract/schemas/status.ts";

const file = endOfSuite();
let state: LivedInState;
before(async () => {
  state = await makeLivedInState(file);
});

for (const name of ["users", "settings"] as const)
  describe(`${name}.json damaged together with its good copy`, () => {
    it("puts the agent into rescue and leaves both files as they are", async (test) => {
      const directory = await state.copy(test);
      const bytes = await damageBoth(directory, name);
      const agent = await startAgent(test, { stateDirectory: directory });
      assert.deepEqual((await agent.call("GET", "/api/health")).json, { status: "rescue" });
      await agent.stop();
      assert.deepEqual(await readFile(join(directory, `${name}.json`)), bytes);
      assert.equal(await readFile(join(directory, `${name}.good.json`), "utf8"), "{");
      assert.deepEqual(await keptFiles(directory, name), []);
    });
  });

describe("an agent in rescue", () => {
  /** For those that change nothing. */
  let agent: AgentProcess;
  const suite = endOfSuite();
  before(async () => {
    agent = await inRescue(suite);
  });

  it("answers version and health to everyone, in detail over the socket", async () => {
    const version = await agent.call("GET", "/api/version");
    assert.equal(version.status, 200);
    assert.equal(version.json.host, undefined);
    assert.deepEqual((await agent.call("GET", "/api/health")).json, { status: "rescue" });
    const detailed = await agent.call("GET", "/api/health", { local: true });
    assert.equal(detailed.status, 200);
    assert.equal(detailed.json.status, "rescue");
    assert.equal(detailed.json.checks[0].code, "state_damaged");
    assert.match(detailed.json.checks[0].detail, /users\.json.*steward state restore users/);
  });

  it("greets the console, so that the page can name the fault", async () => {
    const { status, json, text } = await agent.call("GET", "/api/console");
    assert.equal(status, 200, text);
    assert.deepEqual([json.rescue, json.setup_required, json.synchronised], [true, false, null]);
    assertFits(consoleGreeting, json, "the greeting");
    assert.match((await agent.call("GET", "/")).text, /<!doctype html>/);
  });

  it("reports the state of the unattended clock over the socket alone", async () => {
    const path = "/api/system/time-sync";
    const { status, json, text } = await agent.call("GET", path, { local: true });
    assert.deepEqual([status, json.trust, json.source, json.last_step], [200, "none", null, null], text);
    assert.equal(json.summary.code, "rescue");
    assert.ok(Math.abs(Date.parse(json.server_time) - Date.now()) < 5_000, json.server_time);
    assertFits(timeSync, json, "the status");
    const refused = await agent.call("GET", path);
    assert.deepEqual([refused.status, refused.json.code], [401, "authentication_required"]);
    for (const verb of ["sync", "reselect", "floor-reset"]) {
      const { json } = await agent.call("POST", `${path}/${verb}`, { local: true });
      assert.equal(json.code, "state_damaged");
    }
  });

  it("reports the device's faults over the socket, and to no stranger", async () => {
    const { status, json, text } = await agent.call("GET", "/api/status", { local: true });
    assert.equal(status, 200, text);
    assert.deepEqual([json.state, json.updates, json.people], ["rescue", null, null]);
    const found = json.needs.map((need: { code: string; level: string }) => [need.code, need.level]);
    assert.deepEqual(found, [["rescue", "failing"]]);
    assert.match(json.needs[0].detail, /users\.json.*steward state restore users/);
    assertFits(deviceStatus, json, "the status");
    assert.equal((await agent.call("GET", "/api/status")).json.code, "authentication_required");
  });

  it("answers every other route 503 state_damaged, over the network and over the socket", async () => {
    const left = [
      ...["getVersion", "getHealth", "getTimeSync", "getStatus", "greetConsole", "factoryReset"],
      ...["receiveBackup", "restoreBackup"],
    ];
    const others = operationIds.filter((id) => !left.includes(id));
    assert.equal(others.length >= 19, true);
    for (const id of others) {
      const { method, path } = operationOf(id);
      const concrete = path.replace("{id}", `usr_${"0".repeat(32)}`);
      for (const local of [false, true]) {
        const { status, json } = await agent.call(method, concrete, { local });
        assert.deepEqual([id, status, json?.code], [id, 503, "state_damaged"]);
      }
    }
  });

  it("makes no setup token and starts no first run", async () => {
    assert.equal(existsSync(join(agent.runDirectory, "setup-token")), false);
    const body = { setup_token: "0", username: "mallory", password: "green tractor sings loudly" };
    const { status, json } = await agent.call("POST", "/api/setup", { body });
    assert.deepEqual([status, json.code], [503, "state_damaged"]);
  });

  it("serves again in the same process after `state restore` from a good copy", async (test) => {
    const agent = await inRescue(test);
    const backup = await state.copy(test);
    await rename(join(backup, "users.good.json"), join(agent.stateDirectory, "users.good.json"));
    await repair(agent, ["restore", "users"]);
    assert.equal((await agent.call("POST", "/api/auth/login", login)).status, 200);
    const [kept = ""] = await keptFiles(agent.stateDirectory, "users");
    assert.equal(await readFile(join(agent.stateDirectory, kept), "utf8"), "not JSON at all");
  });

  it("serves again after `state restore --from` a file that was kept", async (test) => {
    const agent = await inRescue(test);
    const backup = await state.copy(test);
    const kept = "users.bad-000001-20260101T000000Z.json";
    await rename(join(backup, "users.json"), join(agent.stateDirectory, kept));
    await repair(agent, ["restore", "users", "--from", kept]);
    assert.equal((await agent.call("POST", "/api/auth/login", login)).status, 200);
  });

  it("serves again after `state reset`, then with the first run", async (test) => {
    const agent = await inRescue(test);
    await repair(agent, ["reset", "users"]);
    assert.deepEqual((await agent.call("GET", "/api/setup")).json, { setup_required: true });
    // A good copy of the present users replaces the one that was damaged beyond reading.
    const goodCopy = join(agent.stateDirectory, "users.good.json");
    await until("a good copy is made", async () =>
      (await readFile(goodCopy, "utf8")).includes('"accounts": []'),
    );
  });

  it("serves again after the file has been put back by hand", async (test) => {
    const agent = await inRescue(test);
    const backup = await state.copy(test);
    await rename(join(backup, "users.json"), join(agent.stateDirectory, "users.json"));
    await servesAgain(agent);
    assert.equal((await agent.call("POST", "/api/auth/login", login)).status, 200);
  });
});

describe("an absent users.json", () => {
  it("beside other state is damage, never a first run", async (test) => {
    const directory = await state.copy(test);
    await rm(join(directory, "users.json"));
    await rm(join(directory, "users.good.json"));
    const agent = await startAgent(test, { stateDirectory: directory });
    assert.deepEqual((await agent.call("GET", "/api/health")).json, { status: "rescue" });
    assert.equal((await agent.call("GET", "/api/setup")).json.code, "state_damaged");
    assert.equal(existsSync(join(agent.runDirectory, "setup-token")), false);
    // Nor does the poll for a repair take an absent file for one.
    const isServing = async () => (await agent.call("GET", "/api/health")).json.status !== "rescue";
    assert.equal(await becomes(isServing, 2.5), false);
  });

  it("beside nothing but a damaged file that was kept is damage too", async (test) => {
    const directory = await temporaryDirectory(test);
    await writeFile(join(directory, "users.bad-000001-20260101T000000Z.json"), "{");
    const agent = await startAgent(test, { stateDirectory: directory });
    assert.deepEqual((await agent.call("GET", "/api/health")).json, { status: "rescue" });
  });
});

async function inRescue(test: Ending): Promise<AgentProcess> {
  const directory = await state.copy(test);
  await damageBoth(directory, "users");
  // The port is given, so that the agent is found again when it has started again.
  const listen = ["--listen", `127.0.0.1:${await heldPort()}`];
  const agent = await startAgent(test, { stateDirectory: directory, arguments: listen });
  assert.deepEqual((await agent.call("GET", "/api/health")).json, { status: "rescue" });
  return agent;
}

async function repair(agent: AgentProcess, command: string[]): Promise<void> {
  const args = ["state", ...command, "--yes", "--state", agent.stateDirectory];
  const { code, stderr } = await runSteward(args);
  assert.equal(code, 0, stderr);
  await servesAgain(agent);
}

/** The same process, without help from outside. */
async function servesAgain(agent: AgentProcess): Promise<void> {
  const isServing = async () => {
    const health = await agent.call("GET", "/api/health").catch(() => null);
    return health?.json?.status === "ok";
  };
  await until("it serves again", isServing);
  assert.equal(agent.process.exitCode, null);
}
