import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import { atEnd } from "../../lab/basics/ending.ts";
import { type StandingTime, standingTime } from "../../lab/simulated/test-time.ts";
import { comes, comesToRest, fingerprints, leftovers } from "../../lab/state/state-directory.ts";

/** Longer than the delays of notes and of good copies, and than the rest between two looks at the disk. */
const settleSeconds = 20;

describe("flash wear", () => {
  it("is none of an agent that is idle or only read", async (test) => {
    const { agent, settled, pass } = await start(test);
    const { token } = await agent.signedInAdmin();
    const before = await settled();
    assert.equal(Object.keys(before).length >= 8, true);
    for (let reads = 0; reads < 30; reads += 1) {
      for (const path of ["/api/health", "/api/system", "/api/users", "/api/auth/me"])
        assert.equal((await agent.call("GET", path, { token })).status, 200);
      await pass(1);
    }
    const after = await fingerprints(agent.stateDirectory);
    // The successful sign-in from this address is written once, a while later.
    for (const name of ["attempts.json", "attempts.good.json"]) {
      delete before[name];
      delete after[name];
    }
    assert.deepEqual(after, before);
  });

  it("is none of a restart beyond what closing writes", async (test) => {
    const time = standingTime();
    const { agent: first } = await start(test, time);
    await first.signedInAdmin();
    await first.stop();
    const { stateDirectory } = first;
    const { ".lock": _, ".reserve": __, ...before } = await fingerprints(stateDirectory);
    const second = await start(test, time, stateDirectory);
    assert.equal((await second.agent.call("GET", "/api/health")).status, 200);
    await second.pass(settleSeconds);
    const { ".lock": ___, ".reserve": ____, ...after } = await fingerprints(stateDirectory);
    assert.deepEqual(after, before);
  });
});

async function start(test: TestContext, time: StandingTime = standingTime(), stateDirectory?: string) {
  const agent = await startAgentInProcess({ time, ...(stateDirectory !== undefined && { stateDirectory }) });
  atEnd(test, () => agent.dispose());
  const directory = agent.stateDirectory;
  /** Lets so many seconds pass, in steps, and the disk do all that they bring about. */
  const pass = async (seconds: number): Promise<void> => {
    for (let left = seconds; left > 0; left -= 1) {
      time.pass(Math.min(1, left));
      await comesToRest();
      await comes("nothing is being written", async () => (await leftovers(directory)).length === 0);
    }
  };
  return {
    agent,
    pass,
    /** Returns what is there when nothing has been written for a while. */
    settled: async (): Promise<Record<string, string>> => {
      let before: Record<string, string> = {};
      await comes("nothing is written any more", async () => {
        const last = JSON.stringify(before);
        await pass(settleSeconds);
        before = await fingerprints(directory);
        return ".reserve" in before && JSON.stringify(before) === last;
      });
      return before;
    },
  };
}
