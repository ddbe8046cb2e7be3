import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { until } from "../until.ts";
import { login } from "./damaged-state.ts";
import { fingerprints, startAgent } from "./state-directory.ts";

/** Longer than the delays of notes and of good copies, and than the making of the reserve. */
const settleMilliseconds = 4_500;

describe("flash wear", () => {
  it("is none of an agent that is idle or only read", async (test) => {
    const agent = await startAgent(test);
    const { token } = await agent.signedInAdmin();
    const before = await settled(agent.stateDirectory);
    assert.equal(Object.keys(before).length >= 8, true);
    for (let reads = 0; reads < 30; reads += 1) {
      for (const path of ["/api/health", "/api/system", "/api/users", "/api/auth/me"]) {
        assert.equal((await agent.call("GET", path, { token })).status, 200);
      }
      await delay(100);
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
    const first = await startAgent(test);
    await first.signedInAdmin();
    await first.stop();
    const { stateDirectory } = first;
    const { ".lock": _, ".reserve": __, ...before } = await fingerprints(stateDirectory);
    const second = await startAgent(test, { stateDirectory });
    assert.equal((await second.call("GET", "/api/health")).status, 200);
    await delay(settleMilliseconds);
    const { ".lock": ___, ".reserve": ____, ...after } = await fingerprints(stateDirectory);
    assert.deepEqual(after, before);
  });

  it("is a few writes for ten sign-ins in two seconds, and none of the accounts", async (test) => {
    const agent = await startAgent(test);
    await agent.signedInAdmin();
    await settled(agent.stateDirectory);
    const seen: Record<string, Set<string>> = {};
    let isOver = false;
    const watching = (async () => {
      while (!isOver) {
        for (const [name, print] of Object.entries(await fingerprints(agent.stateDirectory))) {
          seen[name] = (seen[name] ?? new Set()).add(print);
        }
        await delay(20);
      }
    })();
    const start = performance.now();
    for (let signIns = 0; signIns < 10; signIns += 1) {
      assert.equal((await agent.call("POST", "/api/auth/login", login)).status, 200);
      await delay(Math.max(0, start + (signIns + 1) * 180 - performance.now()));
    }
    const took = performance.now() - start;
    await delay(5_000);
    isOver = true;
    await watching;
    const writes = (name: string) => (seen[name]?.size ?? 0) - 1;
    test.diagnostic(
      `ten sign-ins in ${(took / 1_000).toFixed(1)} s: sessions.json written ${writes("sessions.json")} times, ` +
        `its good copy ${writes("sessions.good.json")} times, users.json ${writes("users.json")} times`,
    );
    // One for each two seconds in which there was something to write, and so more where this host is slow.
    const most = Math.ceil(took / 2_000) + 2;
    assert.ok(writes("sessions.json") >= 1 && writes("sessions.json") <= most, "of sessions.json");
    assert.ok(writes("sessions.good.json") <= most, "of the good copy");
    assert.equal(writes("users.json"), 0);
    assert.equal(writes("settings.json"), 0);
  });
});

/** What lies there when nothing has been written for a while. */
async function settled(directory: string): Promise<Record<string, string>> {
  let before = await fingerprints(directory);
  await until("nothing is written any more", async () => {
    await delay(settleMilliseconds);
    const after = await fingerprints(directory);
    const isSame = JSON.stringify(after) === JSON.stringify(before);
    before = after;
    return isSame;
  });
  return before;
}
