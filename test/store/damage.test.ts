import assert from "node:assert/strict";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import type { Answer, RunningAgent } from "../../lab/agents/running-agent.ts";
import { endOfSuite, temporaryDirectory } from "../../lab/basics/ending.ts";
import {
  damage,
  damages,
  type LivedInState,
  login,
  makeLivedInState,
} from "../../lab/state/damaged-state.ts";
import { keptFiles, onDisk, open, startAgent } from "../../lab/state/state-directory.ts";
import { counterKind } from "../../lab/state/store-counter.ts";
import { type DocumentName, documentNames } from "../../src/contract/document-names.ts";

const file = endOfSuite();
let state: LivedInState;
before(async () => {
  state = await makeLivedInState(file);
});

/** Shows that the content of a document's good copy is there again: an answer of 200, or a member as it was. */
const answers: Partial<Record<DocumentName, (agent: RunningAgent) => Promise<Answer>>> = {
  users: (agent) => agent.call("POST", "/api/auth/login", login),
  tokens: (agent) => agent.call("GET", "/api/system", { token: state.apiToken }),
  sessions: (agent) =>
    agent.call("POST", "/api/auth/refresh", { body: { refresh_token: state.refreshToken } }),
};
const members: Partial<Record<DocumentName, string>> = {
  ...{ settings: "device", attempts: "key_secret", clock: "frequency_ppm", updates: "seed" },
};

const usedSteps = ({ users = [] }: Record<string, unknown>) =>
  (users as { used: { steps: number[] } }[])[0]?.used.steps ?? [];

describe("an agent that finds its documents damaged", () => {
  it("goes on with the good copies of all of them, each damaged in another way, and health names each", async (test) => {
    const directory = await state.copy(test);
    const ways = Object.values(damages);
    const damaged = new Map<string, Buffer>();
    for (const [index, name] of documentNames.entries())
      damaged.set(name, await damage(directory, name, ways[index % ways.length] ?? ((whole) => whole)));
    const agent = await startAgent(test, { stateDirectory: directory });
    for (const name of documentNames) {
      if (answers[name]) assert.equal((await answers[name](agent)).status, 200, name);
      const [file, good] = [
        await onDisk(directory, `${name}.json`),
        await onDisk(state.original, `${name}.good.json`),
      ];
      const member = members[name];
      if (member !== undefined) assert.deepEqual([file[member], member in file], [good[member], true], name);
      if (name === "used-codes") assert.ok(usedSteps(file).includes(usedSteps(good)[0] ?? 0), name);
      const [kept = "", ...others] = await keptFiles(directory, name);
      assert.deepEqual([await readFile(join(directory, kept)), others], [damaged.get(name), []], name);
    }
    await assertDegraded(agent, documentNames);
  });
});

describe("a recovered document", () => {
  it("is on the disk at once, and health says so over restarts, until an administrator accepts it", async (test) => {
    const directory = await state.copy(test);
    await damage(directory, "users", () => Buffer.alloc(0));
    const agent = await startAgent(test, { stateDirectory: directory });
    agent.process.kill("SIGKILL");
    await agent.stop();
    assert.deepEqual(await onDisk(directory, "users.json"), await onDisk(directory, "users.good.json"));
    const next = await startAgent(test, { stateDirectory: directory });
    await assertDegraded(next, ["users"]);
    assert.equal((await keptFiles(directory, "users")).length, 1);
    const path = "/api/system/state/users/accept";
    const { status, json } = await next.call("POST", path, { local: true });
    assert.deepEqual([status, json.accepted.length, json.accepted[0].document], [200, 1, "users"]);
    assert.equal((await next.call("GET", "/api/health", { local: true })).json.status, "ok");
    assert.equal((await next.call("POST", path, { local: true })).json.code, "not_found");
    await next.stop();
    const last = await startAgent(test, { stateDirectory: directory });
    assert.equal((await last.call("GET", "/api/health", { local: true })).json.status, "ok");
    const { json: events } = await last.call("GET", "/api/events?limit=200", { local: true });
    const told = (type: string) => events.items.filter((one: { type: string }) => one.type === type).length;
    assert.deepEqual([told("state.damage_found"), told("state.damage_accepted")], [1, 1]);
  });
});

describe("damaged files that are kept", () => {
  it("are the three newest of each document, in order although the clock goes back", async (test) => {
    const directory = await temporaryDirectory(test);
    await (await open(directory, counterKind)).close();
    const other = "counters.bad-000001-20260101T000000Z.json";
    await writeFile(join(directory, other), "not ours");
    // One from a future that the clock has since been set back from.
    await writeFile(join(directory, "counter.bad-000007-20991231T235959Z.json"), "damage 0");
    for (const round of [1, 2, 3, 4, 5]) {
      await writeFile(join(directory, "counter.json"), `damage ${round}`);
      await (await open(directory, counterKind)).close();
    }
    const kept = await keptFiles(directory, "counter");
    const texts = await Promise.all(kept.map((file) => readFile(join(directory, file), "utf8")));
    assert.deepEqual(texts, ["damage 3", "damage 4", "damage 5"]);
    assert.ok((await readdir(directory)).includes(other), "another document's");
  });
});

/** Health has the details over the socket and with a token, and only the status for everyone. */
async function assertDegraded(agent: RunningAgent, names: readonly DocumentName[]): Promise<void> {
  const token = (await agent.call("POST", "/api/auth/login", login)).json.access_token;
  for (const options of [{ local: true }, { token }]) {
    const { status, json } = await agent.call("GET", "/api/health", options);
    assert.equal(status, 200);
    assert.equal(json.status, "degraded");
    const checks = json.checks as { name: string; status: string; detail: string }[];
    const trouble = checks.filter((check) => check.status !== "ok");
    assert.deepEqual(trouble.map(({ name }) => name).sort(), [...names].sort());
    for (const { name, detail } of trouble) assert.match(detail, new RegExp(`${name}\\.json`));
  }
  assert.deepEqual((await agent.call("GET", "/api/health")).json, { status: "degraded" });
}
