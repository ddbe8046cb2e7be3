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

/** Kept of an earlier damage. */
const aside = "users.bad-000001-20260101T000000Z.json";

const healthOf = async (agent: AgentProcess) => (await agent.call("GET", "/api/health")).json;

async function inRescue(test: Ending): Promise<AgentProcess> {
  const directory = await state.copy(test);
  await damageBoth(directory, "users");
  // The port is given, so that the agent is found again when it has started again.
  const listen = ["--listen", `127.0.0.1:${await heldPort()}`];
  const agent = await startAgent(test, { stateDirectory: directory, arguments: listen });
  assert.deepEqual(await healthOf(agent), { status: "rescue" });
  return agent;
}

describe("an agent in rescue", () => {
  /** For those that change nothing. */
  let agent: AgentProcess;
  const suite = endOfSuite();
  before(async () => {
    agent = await inRescue(suite);
  });
  const local = async (path: string, method = "GET") =>
    (await agent.call(method, path, { local: true })).json;

  it("answers version and health to everyone, and greets the console, so that the page can name the fault", async () => {
    const version = await agent.call("GET", "/api/version");
    assert.deepEqual([version.status, version.json.host], [200, undefined]);
    const { status, json, text } = await agent.call("GET", "/api/console");
    assert.equal(status, 200, text);
    assert.deepEqual([json.rescue, json.setup_required, json.synchronised], [true, false, null]);
    assertFits(consoleGreeting, json, "the greeting");
    assert.match((await agent.call("GET", "/")).text, /<!doctype html>/);
  });

  it("reports over the socket, and to no stranger, its faults and the state of the unattended clock", async () => {
    const words = /users\.json.*steward state restore users/;
    const health = await local("/api/health");
    assert.deepEqual([health.status, health.checks[0].code], ["rescue", "state_damaged"]);
    assert.match(health.checks[0].detail, words);
    const device = await local("/api/status");
    assertFits(deviceStatus, device, "the status");
    const [need, ...others] = device.needs;
    assert.deepEqual(
      [device.state, device.updates, device.people, need.code, need.level, others],
      ["rescue", null, null, "rescue", "failing", []],
    );
    assert.match(need.detail, words);
    const clock = await local("/api/system/time-sync");
    assertFits(timeSync, clock, "the clock's");
    assert.deepEqual(
      [clock.trust, clock.source, clock.last_step, clock.summary.code],
      ["none", null, null, "rescue"],
    );
    assert.ok(Math.abs(Date.parse(clock.server_time) - Date.now()) < 5_000, clock.server_time);
    for (const path of ["/api/status", "/api/system/time-sync"])
      assert.equal((await agent.call("GET", path)).json.code, "authentication_required");
    for (const verb of ["sync", "reselect", "floor-reset"])
      assert.equal((await local(`/api/system/time-sync/${verb}`, "POST")).code, "state_damaged");
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
    assert.equal(existsSync(join(agent.runDirectory, "setup-token")), false);
  });

  /** A file from a backup, the name under which it is put there, and the command that repairs; null: none. */
  for (const [what, from, to, command] of [
    ["`state restore` from a good copy", "users.good.json", "users.good.json", ["restore", "users"]],
    [
      "`state restore --from` a file that was kept",
      "users.json",
      aside,
      ["restore", "users", "--from", aside],
    ],
    ["the file has been put back by hand", "users.json", "users.json", null],
    ["`state reset`, then with the first run", null, null, ["reset", "users"]],
  ] as const)
    it(`serves again in the same process after ${what}`, async (test) => {
      const agent = await inRescue(test);
      const directory = agent.stateDirectory;
      const backup = await state.copy(test);
      if (from !== null) await rename(join(backup, from), join(directory, to));
      if (command !== null) {
        const { code, stderr } = await runSteward(["state", ...command, "--yes", "--state", directory]);
        assert.equal(code, 0, stderr);
        const [kept = ""] = (await keptFiles(directory, "users")).filter((name) => name !== aside);
        assert.equal(await readFile(join(directory, kept), "utf8"), "not JSON at all");
      }
      await until("it serves again", async () => (await healthOf(agent).catch(() => null))?.status === "ok");
      assert.equal(agent.process.exitCode, null);
      if (from !== null)
        return assert.equal((await agent.call("POST", "/api/auth/login", login)).status, 200);
      assert.deepEqual((await agent.call("GET", "/api/setup")).json, { setup_required: true });
      // A good copy of the present users replaces the one that was damaged beyond reading.
      const isCopied = async () =>
        (await readFile(join(directory, "users.good.json"), "utf8")).includes('"accounts": []');
      await until("a good copy is made", isCopied);
    });
});

describe("an agent comes into rescue", () => {
  for (const name of ["users", "settings"] as const)
    it(`where ${name}.json is damaged together with its good copy, and leaves both as they are`, async (test) => {
      const directory = await state.copy(test);
      const bytes = await damageBoth(directory, name);
      const agent = await startAgent(test, { stateDirectory: directory });
      assert.deepEqual(await healthOf(agent), { status: "rescue" });
      await agent.stop();
      assert.deepEqual(await readFile(join(directory, `${name}.json`)), bytes);
      assert.equal(await readFile(join(directory, `${name}.good.json`), "utf8"), "{");
      assert.deepEqual(await keptFiles(directory, name), []);
    });

  it("where users.json is absent beside other state, and in no first run", async (test) => {
    const directory = await state.copy(test);
    for (const name of ["users.json", "users.good.json"]) await rm(join(directory, name));
    const agent = await startAgent(test, { stateDirectory: directory });
    assert.deepEqual(await healthOf(agent), { status: "rescue" });
    assert.equal((await agent.call("GET", "/api/setup")).json.code, "state_damaged");
    assert.equal(existsSync(join(agent.runDirectory, "setup-token")), false);
    // Nor does the poll for a repair take an absent file for one.
    assert.equal(await becomes(async () => (await healthOf(agent)).status !== "rescue", 2.5), false);
  });

  it("where nothing is left but a damaged file that was kept", async (test) => {
    const directory = await temporaryDirectory(test);
    await writeFile(join(directory, aside), "{");
    const agent = await startAgent(test, { stateDirectory: directory });
    assert.deepEqual(await healthOf(agent), { status: "rescue" });
  });
});
