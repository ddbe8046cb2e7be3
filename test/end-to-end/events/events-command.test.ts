import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { runSteward, startAgentInProcess } from "../../../lab/agents/agent-in-process.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { until } from "../../../lab/basics/until.ts";

const program = join(import.meta.dirname, "../../../dist/main.js");

describe("steward events --name, of a name that several people had one after the other", () => {
  const agent = ofSuite(startAgentInProcess);
  const deedsOf = async (name: string) => {
    const environment = { STEWARD_SOCKET: agent.socket, STEWARD_STATE: agent.stateDirectory };
    const { stdout, stderr } = await runSteward(["-o", "json", "events", "--name", name], { environment });
    const ids = JSON.parse(stdout).items.map(({ subject }: { subject: { id: string } }) => subject.id);
    return { ids: [...new Set(ids)], stderr };
  };
  const add = async (username: string, role: string): Promise<string> =>
    (await agent.call("POST", "/api/users", { body: { username, role }, local: true })).json.id;
  const remove = (id: string) => agent.call("DELETE", `/api/users/${id}`, { local: true });

  it("shows those of the present account, or of the last one, and names the former one with its times", async () => {
    await agent.signedInAdmin();
    await add("kimberly", "operator");
    const first = await add("kim", "admin");
    await remove(first);
    const second = await add("kim", "readonly");
    const present = await deedsOf("Kim");
    assert.deepEqual(present.ids, [second]);
    const time = String.raw`2\d+-\S+Z`;
    const former = RegExp(
      `Another kim, added at ${time} and deleted at ${time}, .* steward events --name ${first}`,
    );
    assert.match(present.stderr, former);
    assert.deepEqual((await deedsOf(first)).ids, [first]);
    await remove(second);
    const { ids, stderr } = await deedsOf("kim");
    assert.deepEqual(ids, [second]);
    assert.match(
      stderr,
      /There is no user kim now. These events are about the former user, added at .* deleted/,
    );
    assert.match(stderr, former);
  });
});

describe("steward events --verify", () => {
  /** An agent's state with six events after it has stopped, and its log as `journalctl -o json` would print it. */
  const stopped = async () => {
    const home = scratchDirectory();
    const environment = { STEWARD_SOCKET: join(home, "none.sock"), STEWARD_STATE: join(home, "state") };
    const agent = await startAgentInProcess({ stateDirectory: join(home, "state") });
    await agent.signedInAdmin();
    for (const member of ["name", "location", "contact"])
      await agent.call("PUT", "/api/system", { local: true, body: { device: { [member]: "x" } } });
    await agent.dispose();
    const others = ['{"MESSAGE":[1,2,3]}', '{"MESSAGE":"event log of another program"}', "no json"];
    const lines = agent.log().split("\n").filter(Boolean);
    const journal = join(home, "journal.json");
    const entries = lines.map((line) => JSON.stringify({ MESSAGE: line, _PID: "1" }));
    writeFileSync(journal, [...others, ...entries].join("\n"));
    const steward = (...words: string[]) => runSteward(words, { environment });
    const verify = (...more: string[]) => steward("events", "--verify", ...more);
    return { directory: join(home, "state/events"), journal, steward, verify };
  };

  it("prints the heads, reaches the journal's, and names what was changed; an end that was cut off only the journal tells", async () => {
    const { directory, journal, verify } = await stopped();
    const file = join(directory, readdirSync(directory).find((name) => name.startsWith("changes")) ?? "");
    const { code, stdout, stderr } = await verify("--against-journal", "--journal", journal);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^changes +6 +1 +6 +[0-9a-f]{64}$/m);
    assert.match(stderr, /reaches all 1 heads that the journal knows/);
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.replace("settings.changed", "settings.channed"));
    const changed = await verify();
    assert.deepEqual([changed.code, /not as it was written: 4 /.test(changed.stderr)], [1, true]);
    writeFileSync(file, `${text.split("\n").slice(0, 3).join("\n")}\n`);
    assert.equal((await verify()).code, 0);
    const cut = await verify("--journal", journal);
    assert.equal(cut.code, 1);
    assert.match(cut.stderr, /4 is missing from changes, which reached 6 by the journal/);
  });

  it("sees a log that was written anew, with right hashes, by the journal alone", async () => {
    const { directory, journal, steward, verify } = await stopped();
    rmSync(directory, { recursive: true });
    for (const name of ["a", "b", "c", "d", "e", "f"])
      assert.equal((await steward("system", "set", `device.name=${name}`)).code, 0);
    assert.equal((await verify()).code, 0);
    const { code, stderr } = await verify("--journal", journal);
    assert.equal(code, 1);
    assert.match(stderr, /6 has another hash in the journal/);
  });
});

describe("steward events --follow", () => {
  it("prints what happens, comes back to an agent that restarts, and ends with Ctrl-C (130)", async (test) => {
    const home = scratchDirectory();
    const socket = join(home, "socket");
    /** Each has a place of its own, to which a link leads that stays. */
    const start = async () => {
      const agent = await startAgentInProcess({ stateDirectory: join(home, "state") });
      test.after(() => agent.dispose());
      rmSync(socket, { force: true });
      symlinkSync(agent.socket, socket);
      return agent;
    };
    const agent = await start();
    const environment = { STEWARD_SOCKET: socket, STEWARD_STATE: join(home, "state") };
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
    await agent.stop();
    await start();
    await set("name=four");
    await until("it came back", () => seqs().length === 4);
    assert.deepEqual(seqs(), [1, 2, 3, 4]);
    child.kill("SIGINT");
    const code = await new Promise((resolve) => child.once("exit", resolve));
    assert.equal(code, 130);
  });
});
