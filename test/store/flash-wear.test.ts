import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { login } from "./damaged-state.ts";
import { fingerprints, startAgent } from "./state-directory.ts";

/** Longer than the delays of notes and of good copies, and than the making of the reserve. */
const settleMilliseconds = 4_500;

describe("flash wear", () => {
  it("is none of an agent that is idle or only read", async (test) => {
    const agent = await startAgent(test);
    const { token } = await agent.signedInAdmin();
    await delay(settleMilliseconds);
    const before = await fingerprints(agent.stateDirectory);
    assert.equal(Object.keys(before).length >= 8, true);
    for (let reads = 0; reads < 30; reads += 1) {
      for (const path of ["/api/health", "/api/system", "/api/users", "/api/auth/me"]) {
        assert.equal((await agent.call("GET", path, { token })).status, 200);
      }
      await delay(100);
    }
    assert.deepEqual(await fingerprints(agent.stateDirectory), before);
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
    await delay(settleMilliseconds);
    const seen: Record<string, Set<string>> = {};
    let isOver = false;
    const watching = (async () => {
      while (!isOver) {
        for (const [name, print] of Object.entries(await fingerprints(agent.stateDirectory))) {
          seen[name] = (seen[name] ?? new Set()).add(print);
        }
        await delay(5);
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
    assert.equal(writes("sessions.json") >= 1 && writes("sessions.json") <= 3, true);
    assert.equal(writes("sessions.good.json") <= 2, true);
    assert.equal(writes("users.json"), 0);
    assert.equal(writes("settings.json"), 0);
  });
});
