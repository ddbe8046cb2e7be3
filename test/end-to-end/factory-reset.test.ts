import assert from "node:assert/strict";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { runSteward, startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import { checkAnswer } from "../../lab/agents/answer-rules.ts";
import { outcome, type RunningAgent } from "../../lab/agents/running-agent.ts";
import { atEnd } from "../../lab/basics/ending.ts";
import { until } from "../../lab/basics/until.ts";
import { passingTime } from "../../lab/simulated/test-time.ts";

const path = "/api/system/factory-reset";

describe("a factory reset", () => {
  const time = passingTime();
  const start = async (test: TestContext, stateDirectory?: string) => {
    const agent = await startAgentInProcess({ time, ...(stateDirectory && { stateDirectory }) });
    atEnd(test, () => agent.dispose());
    return agent;
  };
  const confirmOf = async (agent: RunningAgent) => ({
    confirm: (await agent.read("/api/status")).device_name,
  });
  const firstEvent = async (agent: RunningAgent) => (await agent.read("/api/events?after=0")).items[0];
  /** On the socket: the port of a test's agent is another one after its new start. */
  const hasBegunAnew = (agent: RunningAgent) =>
    until("the agent has begun anew", async () => {
      const answer = await agent.call("GET", "/api/console", { local: true }).catch(() => null);
      return answer?.json?.setup_required === true;
    });
  const addAdministrator = (agent: RunningAgent) =>
    agent.call("POST", "/api/users", { local: true, body: { username: "boss", role: "admin" } });

  it("begins again at the first run, with a new record that says so", async (test) => {
    const agent = await start(test);
    const { token } = await agent.signedInAdmin();
    await agent.call("PUT", "/api/system", { token, body: { device: { location: "hall 2" } } });
    assert.equal((await firstEvent(agent)).type, "user.created");
    await runSteward(["setup-token", "--rescue", "--socket", agent.socket]);
    assert.ok((await readdir(agent.runDirectory)).includes("rescue-token"));
    const answer = await agent.call("POST", path, { token, body: await confirmOf(agent) });
    checkAnswer("POST", path, answer);
    assert.equal(answer.status, 202, answer.text);
    await hasBegunAnew(agent);
    assert.deepEqual((await agent.read("/api/users")).items, []);
    assert.equal((await agent.read("/api/system")).device.location, "");
    const { seq, type, details } = await firstEvent(agent);
    assert.deepEqual([seq, type, details], [1, "host.reset", {}]);
    const left = await readdir(agent.runDirectory);
    assert.ok(left.includes("setup-token"));
    assert.equal(left.includes("rescue-token"), false, "a token of the owner before is no way in");
    assert.match(agent.log(), /host\.reset_requested/, "the journal has who asked for it");
    assert.equal((await addAdministrator(agent)).status, 201, "it can be set up again");
  });

  it("takes an administrator who gave the password again, and the name of the device", async (test) => {
    const agent = await start(test);
    const { token } = await agent.signedInAdmin();
    const wrong = await agent.call("POST", path, { token, body: { confirm: "another" } });
    assert.deepEqual([wrong.status, wrong.json.errors[0].pointer], [400, "/confirm"]);
    const body = { name: "fleet", scopes: ["system:write"] };
    const program = (await agent.call("POST", "/api/tokens", { token, body })).json;
    const asked = async (by: string) =>
      outcome(agent.call("POST", path, { token: by, body: await confirmOf(agent) }));
    assert.equal(await asked(program.token), "403 token_not_allowed");
    time.pass(6 * 60);
    assert.equal(await asked(token), "401 step_up_required");
    assert.equal((await agent.read("/api/console")).setup_required, false);
  });

  it("is carried out at the next start where the power was cut", async (test) => {
    const agent = await start(test);
    await agent.signedInAdmin();
    await agent.stop();
    await writeFile(join(agent.stateDirectory, ".wipe"), "");
    const next = await start(test, agent.stateDirectory);
    assert.equal((await next.read("/api/console")).setup_required, true);
  });

  it("is done by the command line, with the agent and without it", async (test) => {
    const agent = await start(test);
    const steward = (option: string) =>
      runSteward(["factory-reset", option, "--socket", agent.socket, "--state", agent.stateDirectory]);
    await addAdministrator(agent);
    const dry = await steward("--dry-run");
    assert.deepEqual([dry.code, dry.stdout.includes("Deleted: accounts")], [0, true]);
    assert.equal((await steward("--yes")).code, 0);
    await hasBegunAnew(agent);
    await addAdministrator(agent);
    await agent.stop();
    assert.equal((await steward("--yes")).code, 0);
    assert.deepEqual(await readdir(agent.stateDirectory), [".lock"], "nothing waits for an agent");
  });
});
