import assert from "node:assert/strict";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { type InProcessOptions, startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import {
  adminName,
  adminPassword,
  type CallOptions,
  type RunningAgent,
} from "../../lab/agents/running-agent.ts";
import { atEnd, temporaryDirectory } from "../../lab/basics/ending.ts";
import { until } from "../../lab/basics/until.ts";
import { login } from "../../lab/state/damaged-state.ts";
import { fill, makeReadOnly, makeWritable } from "../../lab/state/private-mount.ts";
import { reserveBytes } from "../../src/store/files/reserve.ts";
import { itOnMount } from "./fixture.ts";

describe("the very first start", () => {
  itOnMount("on a full disk is set up without a restart when there is space", async (test, mount) => {
    await fill(mount);
    const agent = await start(test, { stateDirectory: mount.seen });
    const said = /^Only 0 MiB are free on .* The reserve, .* does not exist\. .* The reserve takes 8 MiB/;
    await until("health names the disk", async () => said.test(await troubleOf(agent, "disk")));
    const text = await troubleOf(agent, "users");
    assert.match(text, /^Changes are kept in memory until the disk can be written \(users\)/);
    assert.deepEqual(await setUp(agent), [507, "storage_full"]);
    mount.run('rm "$1/.filler"');
    assert.deepEqual(await setUp(agent), [201, undefined]);
    assert.equal((await agent.call("POST", "/api/auth/login", login)).status, 200);
    await until("health is ok", () => isWell(agent));
    assert.equal((await stat(join(mount.seen, ".reserve"))).size, reserveBytes);
  });

  it("is one beside a history, which may come to the disk before the accounts do", async (test) => {
    const stateDirectory = await temporaryDirectory(test);
    await writeFile(join(stateDirectory, "history.bin"), "");
    // A file system of its own has this directory at its root; it is no state.
    await mkdir(join(stateDirectory, "lost+found"));
    const agent = await start(test, { stateDirectory });
    assert.equal((await agent.call("GET", "/api/setup")).json.setup_required, true);
  });

  itOnMount("on a read-only disk makes the credential's administrator later", async (test, mount) => {
    mount.run(makeReadOnly);
    const credentials = await temporaryDirectory(test);
    const hash =
      "$argon2id$v=19$m=19456,t=2,p=1$YWFhYWFhYWFhYWFhYWFhYQ$RGV0ZXJtaW5pc3RpY0J5dGVzT2ZUaGVIYXNoMTIzNDU";
    const administrator = JSON.stringify({ username: adminName, password_hash: hash });
    await writeFile(join(credentials, "steward.admin"), administrator);
    const environment = { CREDENTIALS_DIRECTORY: credentials };
    const agent = await start(test, { stateDirectory: mount.seen, environment });
    assert.deepEqual((await agent.call("GET", "/api/setup")).json.setup_required, true);
    mount.run(makeWritable);
    const isMade = async () => (await readFile(join(mount.seen, "users.json"), "utf8")).includes(hash);
    await until("the administrator is on the disk", () => isMade().catch(() => false));
    // The file is at its place before its directory is on the disk, and only then the agent goes by it.
    const isSetUp = async () => (await agent.call("GET", "/api/setup")).json.setup_required === false;
    await until("the setup is over", isSetUp);
  });

  itOnMount("without a state directory is a rescue that says so, until it can be", async (test, mount) => {
    mount.run(makeReadOnly);
    const agent = await start(test, { stateDirectory: join(mount.seen, "steward") });
    assert.match(
      await troubleOf(agent, "state"),
      /^The agent cannot reach its stored state\. The directory .*steward cannot be made \(EROFS\)\. /,
    );
    mount.run(makeWritable);
    // It ends listening in between.
    await until("it serves", () => isWell(agent, { local: true }).catch(() => false));
  });
});

async function start(test: TestContext, options: InProcessOptions): Promise<RunningAgent> {
  const agent = await startAgentInProcess(options);
  atEnd(test, () => agent.dispose());
  return agent;
}

/** First-run setup as the console does it: the status, and the code of a refusal. */
async function setUp(agent: RunningAgent): Promise<[number, string | undefined]> {
  const setup_token = (await readFile(join(agent.runDirectory, "setup-token"), "utf8")).trim();
  const body = { setup_token, username: adminName, password: adminPassword };
  const { status, json } = await agent.call("POST", "/api/setup", { body });
  return [status, json.code];
}

async function isWell(agent: RunningAgent, options: CallOptions = {}): Promise<boolean> {
  return (await agent.call("GET", "/api/health", options)).json.status === "ok";
}

async function troubleOf(agent: RunningAgent, check: string): Promise<string> {
  const { checks } = (await agent.call("GET", "/api/health", { local: true })).json;
  return checks.find(({ name }: { name: string }) => name === check)?.detail ?? `no check ${check}`;
}
