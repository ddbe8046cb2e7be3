import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { before, beforeEach, describe, it, type TestContext } from "node:test";
import { runSteward, startAgentInProcess } from "../../../lab/agents/agent-in-process.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { until } from "../../../lab/basics/until.ts";

const program = join(import.meta.dirname, "../../../dist/main.js");

/** Writes this log as `journalctl -o json` would print it, behind entries of others. */
function journalOf(log: string): string {
  const lines = log.split("\n").filter(Boolean);
  const others = ['{"MESSAGE":[1,2,3]}', '{"MESSAGE":"event log of another program"}', "no json"];
  return [...others, ...lines.map((line) => JSON.stringify({ MESSAGE: line, _PID: "1" }))].join("\n");
}

describe("steward events", () => {
  let environment: Record<string, string>;
  const agent = ofSuite(startAgentInProcess);
  before(async () => {
    environment = { STEWARD_SOCKET: agent.socket, STEWARD_STATE: agent.stateDirectory };
    await agent.signedInAdmin();
    const body = { username: "anna", role: "operator", display_name: "Anna" };
    await agent.call("POST", "/api/users", { body, local: true });
    await agent.call("POST", "/api/auth/login", { body: { username: "anna", password: "wrong-password" } });
  });

  it("verifies both chains and prints their heads", async () => {
    const { code, stdout, stderr } = await runSteward(["events", "--verify"], { environment });
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^changes +4 +1 +4 +[0-9a-f]{64}$/m);
    assert.match(stdout, /^refusals +1 +5 +5 +[0-9a-f]{64}$/m);
    assert.match(stderr, /5 events were checked.* The record is complete since its beginning\./);
  });
});

describe("steward events --name, of a name that several people had one after the other", () => {
  const agent = ofSuite(startAgentInProcess);
  const environment = () => ({ STEWARD_SOCKET: agent.socket, STEWARD_STATE: agent.stateDirectory });
  const deedsOf = async (name: string) => {
    const { stdout, stderr } = await runSteward(["-o", "json", "events", "--name", name], {
      environment: environment(),
    });
    const ids = JSON.parse(stdout).items.map(({ subject }: { subject: { id: string } }) => subject.id);
    return { ids: [...new Set(ids)], stderr };
  };
  const add = async (role: string): Promise<string> =>
    (await agent.call("POST", "/api/users", { body: { username: "kim", role }, local: true })).json.id;
  const remove = (id: string) => agent.call("DELETE", `/api/users/${id}`, { local: true });
  let first: string;
  let second: string;
  before(async () => {
    await agent.signedInAdmin();
    await agent.call("POST", "/api/users", { body: { username: "kimberly", role: "operator" }, local: true });
    first = await add("admin");
    await remove(first);
    second = await add("readonly");
  });

  it("shows those of the present account, and names the former one with its times", async () => {
    const { ids, stderr } = await deedsOf("Kim");
    assert.deepEqual(ids, [second]);
    const time = String.raw`2\d+-\S+Z`;
    assert.match(
      stderr,
      RegExp(`Another kim was added at ${time} and deleted at ${time}, .* steward events --name ${first}`),
    );
    assert.deepEqual((await deedsOf(first)).ids, [first]);
  });

  it("shows those of the last one where there is none now, and says so", async () => {
    await remove(second);
    const { ids, stderr } = await deedsOf("kim");
    assert.deepEqual(ids, [second]);
    assert.match(
      stderr,
      /There is no user kim now. These events are of the one who was added at .* deleted at/,
    );
    assert.match(stderr, RegExp(`Another kim .* --name ${first}`));
  });
});

describe("steward events --verify", () => {
  let home: string;
  let environment: Record<string, string>;
  let journal: string;
  let file: string;

  beforeEach(async () => {
    home = scratchDirectory();
    environment = { STEWARD_SOCKET: join(home, "none.sock"), STEWARD_STATE: join(home, "state") };
    const agent = await startAgentInProcess({ stateDirectory: join(home, "state") });
    await agent.signedInAdmin();
    for (const member of ["name", "location", "contact"]) {
      await agent.call("PUT", "/api/system", { local: true, body: { device: { [member]: "x" } } });
    }
    await agent.stop();
    journal = join(home, "journal.json");
    writeFileSync(journal, journalOf(agent.log()));
    await agent.dispose();
    const directory = join(home, "state/events");
    file = join(directory, readdirSync(directory).find((name) => name.startsWith("changes")) ?? "");
  });
  const clean = (test: TestContext) => test.after(() => rm(home, { recursive: true, force: true }));
  const verify = (...more: string[]) => runSteward(["events", "--verify", ...more], { environment });

  it("with the agent down checks what lies there, and that it reaches the journal's head", async (test) => {
    clean(test);
    const { code, stderr } = await verify("--against-journal", "--journal", journal);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /reaches all 1 heads that the journal knows/);
  });

  it("names the first event that was changed (exit 1)", async (test) => {
    clean(test);
    writeFileSync(file, readFileSync(file, "utf8").replace("settings.changed", "settings.channed"));
    const { code, stderr } = await verify();
    assert.equal(code, 1);
    assert.match(stderr, /not what was written: 4 /);
  });

  it("sees an end that was cut off by the journal alone", async (test) => {
    clean(test);
    const lines = readFileSync(file, "utf8").split("\n").slice(0, 3);
    truncateSync(file, Buffer.byteLength(`${lines.join("\n")}\n`));
    assert.equal((await verify()).code, 0);
    const { code, stderr } = await verify("--journal", journal);
    assert.equal(code, 1);
    assert.match(stderr, /4 is missing from changes, which reached 6 by the journal/);
  });

  it("sees a log that was written anew, with right hashes, by the journal alone", async (test) => {
    clean(test);
    await rm(join(home, "state/events"), { recursive: true });
    for (const name of ["a", "b", "c", "d", "e", "f"]) {
      const { code } = await runSteward(["system", "set", `device.name=${name}`], { environment });
      assert.equal(code, 0);
    }
    assert.equal((await verify()).code, 0);
    const { code, stderr } = await verify("--journal", journal);
    assert.equal(code, 1);
    assert.match(stderr, /6 has another hash in the journal/);
  });
});

describe("steward events --follow", () => {
  it("prints what happens, comes back to an agent that restarts, and ends with Ctrl-C (130)", async (test) => {
    const home = scratchDirectory();
    const run = join(home, "run");
    const socket = join(run, "steward.sock");
    const state = join(home, "state");
    let agent = await startServe(state, run);
    test.after(() => void agent.kill("SIGKILL"));
    const environment = { STEWARD_SOCKET: socket, STEWARD_STATE: state };
    const set = (change: string) => runSteward(["system", "set", `device.${change}`], { environment });
    await set("name=one");
    const child = spawn(process.execPath, [program, "-o", "json", "events", "-f"], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...environment },
    });
    test.after(() => void child.kill("SIGKILL"));
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    const seqs = () =>
      output
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line).seq);
    await until("the newest came", () => seqs().length === 1);
    await set("location=two");
    await until("what happened came", () => seqs().length === 2);
    // Counted, and written when the agent stops.
    await set("location=three");
    agent.kill("SIGTERM");
    await new Promise((resolve) => agent.once("exit", resolve));
    agent = await startServe(state, run);
    await set("name=four");
    await until("it came back", () => seqs().length === 4);
    assert.deepEqual(seqs(), [1, 2, 3, 4]);
    child.kill("SIGINT");
    const code = await new Promise((resolve) => child.once("exit", resolve));
    assert.equal(code, 130);
  });

  it("without an agent shows what there is and says that nothing will come", async (test) => {
    const agent = await startAgentInProcess();
    test.after(() => agent.dispose());
    await agent.signedInAdmin();
    await agent.stop();
    const environment = { STEWARD_SOCKET: agent.socket, STEWARD_STATE: agent.stateDirectory };
    const { code, stdout, stderr } = await runSteward(["events", "--follow"], { environment });
    assert.equal(code, 1);
    assert.match(stdout, /user\.created/);
    assert.match(stderr, /--follow needs the running agent/);
  });
});

/** An agent at a place of our own, so that the next one can be at the same. */
async function startServe(state: string, run: string): Promise<ChildProcess> {
  const words = ["serve", "--state", state, "--run", run, "--listen", "127.0.0.1:0"];
  const child = spawn(process.execPath, [program, ...words], { stdio: ["ignore", "ignore", "pipe"] });
  let log = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    log += text;
  });
  await until("the agent listens", () => log.includes('"listening"'));
  return child;
}
