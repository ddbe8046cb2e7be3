import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import type { RunningAgent } from "../../lab/agents/running-agent.ts";
import { until } from "../../lab/basics/until.ts";
import { fill, mountOrSkip } from "../../lab/state/private-mount.ts";
import { startAgent } from "../../lab/state/state-directory.ts";
import { createVerification } from "../../src/cli/events/event-verification.ts";
import type { AuditEvent } from "../../src/contract/types.ts";

const login = { body: { username: "root-admin", password: "green tractor sings loudly" } };

describe("the event log of an agent whose disk is full", () => {
  it("goes on in memory, tells health, and is whole on the disk when there is space again", async (test) => {
    const setting = await agentOnSmallDisk(test);
    if (!setting) return;
    const { agent, mount } = setting;
    await fill(mount);
    // The reserve is given up for the first, and filled again.
    for (let round = 0; round < 2; round += 1) {
      assert.equal((await agent.call("POST", "/api/auth/login", login)).status, 200);
      await fill(mount);
    }
    const isTroubled = async () => /"events","status":"degraded"/.test((await health(agent)).text);
    // The rest of the last page takes some lines more.
    for (let tries = 0; tries < 40 && !(await isTroubled()); tries += 1) {
      await agent.call("POST", "/api/auth/login", login);
    }
    assert.equal(await isTroubled(), true, "the log found space to the end");
    const before = await eventsOf(agent);
    await rm(join(mount.seen, ".filler"));
    await until("it has healed", async () => !(await isTroubled()));
    await agent.stop();
    const next = await startAgent(test, { stateDirectory: mount.directory, prefix: mount.prefix });
    const after = await eventsOf(next);
    assert.deepEqual(after.slice(0, before.length), before);
    const verification = createVerification();
    for (const event of after) verification.add(event);
    assert.deepEqual(verification.findings(), []);
  });
});

async function agentOnSmallDisk(test: TestContext) {
  const mount = await mountOrSkip(test, 12);
  if (!mount) return undefined;
  const agent = await startAgent(test, { stateDirectory: mount.directory, prefix: mount.prefix });
  await agent.signedInAdmin();
  return { agent, mount };
}

function health(agent: RunningAgent) {
  return agent.call("GET", "/api/health", { local: true });
}

async function eventsOf(agent: RunningAgent): Promise<AuditEvent[]> {
  return (await agent.call("GET", "/api/events?after=0&limit=200", { local: true })).json.items;
}
