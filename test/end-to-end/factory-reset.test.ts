import assert from "node:assert/strict";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { runSteward, startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import { checkAnswer } from "../../lab/agents/answer-rules.ts";
import { adminName, adminPassword, outcome, type RunningAgent } from "../../lab/agents/running-agent.ts";
import { until } from "../../lab/basics/until.ts";
import { passingTime } from "../../lab/simulated/test-time.ts";

const path = "/api/system/factory-reset";

describe("a factory reset", () => {
  let agent: RunningAgent;
  const time = passingTime();
  beforeEach(async () => {
    agent = await startAgentInProcess({ time });
  });
  afterEach(() => agent.dispose());

  const deviceName = async () => (await agent.read("/api/status")).device_name;
  const firstEvent = async () => (await agent.read("/api/events?after=0")).items[0];
  /** On the socket: the port of a test's agent is another one after its new start. */
  const hasBegunAnew = () =>
    until("the agent has begun anew", async () => {
      const answer = await agent.call("GET", "/api/console", { local: true }).catch(() => null);
      return answer?.json?.setup_required === true;
    });

  it("begins again at the first run, with a new record that says so", async () => {
    const admin = await agent.signedInAdmin();
    await agent.call("PUT", "/api/system", { token: admin.token, body: { device: { location: "hall 2" } } });
    const before = await firstEvent();
    assert.equal(before.type, "user.created");
    await runSteward(["setup-token", "--rescue", "--socket", agent.socket]);
    assert.ok((await readdir(agent.runDirectory)).includes("rescue-token"));
    const answer = await agent.call("POST", path, {
      token: admin.token,
      body: { confirm: await deviceName() },
    });
    checkAnswer("POST", path, answer);
    assert.equal(answer.status, 202, answer.text);
    await hasBegunAnew();
    const users = await agent.read("/api/users");
    assert.deepEqual(users.items, []);
    const settings = await agent.read("/api/system");
    assert.equal(settings.device.location, "");
    const { seq, type, details } = await firstEvent();
    assert.deepEqual([seq, type, details], [1, "host.reset", {}]);
    const left = await readdir(agent.runDirectory);
    assert.ok(left.includes("setup-token"));
    assert.equal(left.includes("rescue-token"), false, "a token of the owner before is no way in");
    assert.match(agent.log(), /host\.reset_requested/, "the journal has who asked for it");
    const body = { username: adminName, password: adminPassword, role: "admin" };
    const made = await agent.call("POST", "/api/users", { body, local: true });
    assert.equal(made.status, 201, "it can be set up again");
  });

  it("takes an administrator who gave the password again, and the name of the device", async () => {
    const admin = await agent.signedInAdmin();
    const wrong = await agent.call("POST", path, { token: admin.token, body: { confirm: "another" } });
    checkAnswer("POST", path, wrong);
    assert.deepEqual([wrong.status, wrong.json.errors[0].pointer], [400, "/confirm"]);
    const body = { name: "fleet", scopes: ["system:write"] };
    const { token } = (await agent.call("POST", "/api/tokens", { token: admin.token, body })).json;
    const confirm = { confirm: await deviceName() };
    assert.equal(await outcome(agent.call("POST", path, { token, body: confirm })), "403 token_not_allowed");
    time.pass(6 * 60);
    assert.equal(
      await outcome(agent.call("POST", path, { token: admin.token, body: confirm })),
      "401 step_up_required",
    );
    assert.equal((await agent.read("/api/console")).setup_required, false);
  });

  it("is carried out at the next start where the power was cut", async () => {
    await agent.signedInAdmin();
    await agent.stop();
    const { stateDirectory } = agent;
    await writeFile(join(stateDirectory, ".wipe"), "");
    const next = await startAgentInProcess({ stateDirectory });
    try {
      assert.equal((await next.call("GET", "/api/console")).json.setup_required, true);
    } finally {
      await next.dispose();
    }
  });

  it("is done by the command line, with the agent and without it", async () => {
    const places = ["--socket", agent.socket, "--state", agent.stateDirectory];
    await agent.signedInAdmin();
    const dry = await runSteward(["factory-reset", "--dry-run", ...places]);
    assert.deepEqual([dry.code, dry.stdout.includes("Deleted: accounts")], [0, true]);
    const online = await runSteward(["factory-reset", "--yes", ...places]);
    assert.equal(online.code, 0, online.stderr);
    await hasBegunAnew();
    const body = { username: adminName, password: adminPassword, role: "admin" };
    await agent.call("POST", "/api/users", { body, local: true });
    await agent.stop();
    const offline = await runSteward(["factory-reset", "--yes", ...places]);
    assert.equal(offline.code, 0, offline.stderr);
    assert.deepEqual(await readdir(agent.stateDirectory), [".lock"], "nothing waits for an agent");
  });
});
