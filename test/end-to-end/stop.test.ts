import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, it } from "node:test";
import { startAgentInProcess, stopWithin } from "../../lab/agents/agent-in-process.ts";
import { startAgentProcess } from "../../lab/agents/running-agent.ts";

describe("a stop by SIGTERM", () => {
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    it(`(${signal}) lets requests in flight finish, leaves the state on the disk and ends with 0`, async () => {
      const agent = await startAgentProcess();
      try {
        await agent.signedInAdmin();
        // Each waits for its turn to be hashed.
        const creations = Array.from({ length: 12 }, (_, index) =>
          agent.call("POST", "/api/users", {
            body: { username: `user-${index}`, role: "readonly" },
            local: true,
          }),
        );
        // They were written before these two, so that an agent that has answered the second of them has read them all.
        for (let looks = 0; looks < 2; looks += 1) await agent.call("GET", "/api/health", { local: true });
        await Promise.race(creations);
        agent.process.kill(signal);
        const code = await new Promise((resolve) => agent.process.once("exit", resolve));
        assert.equal(code, 0, agent.log());
        const statuses = (await Promise.all(creations)).map(({ status }) => status);
        assert.deepEqual(statuses, Array(12).fill(201));
        const { accounts } = JSON.parse(readFileSync(join(agent.stateDirectory, "users.json"), "utf8"));
        assert.equal(accounts.length, 13, "every user that was acknowledged is on the disk");
        const { sessions } = JSON.parse(readFileSync(join(agent.stateDirectory, "sessions.json"), "utf8"));
        assert.equal(sessions.length, 1, "and the session that was only in memory");
      } finally {
        await agent.dispose();
      }
    });
  }

  it("does not wait for connections that say nothing", async (test) => {
    const agent = await startAgentInProcess();
    const silent = connect({ host: "127.0.0.1", port: agent.port });
    silent.on("error", () => undefined);
    await new Promise((resolve) => silent.once("connect", resolve));
    // Requests in flight would have four.
    assert.equal(await stopWithin(test, agent, 1), 0);
    silent.destroy();
    await agent.dispose();
  });

  it("leaves a socket behind that the next start replaces, also after kill -9", async () => {
    const agent = await startAgentProcess();
    agent.process.kill("SIGKILL");
    await new Promise((resolve) => agent.process.once("exit", resolve));
    const next = await startAgentProcess({ stateDirectory: agent.stateDirectory });
    assert.equal((await next.read("/api/health")).status, "ok");
    await next.dispose();
    await agent.dispose();
  });
});

describe("SIGUSR1", () => {
  it("opens no debugger, as it does in any other program of Node", async () => {
    const agent = await startAgentProcess();
    try {
      agent.process.kill("SIGUSR1");
      // Node's own thread for this signal says so, and opens the port, before the next answer but one.
      for (let turn = 0; turn < 3; turn += 1)
        assert.equal((await agent.call("GET", "/api/version", { local: true })).status, 200);
      assert.doesNotMatch(agent.log(), /debugger/i);
    } finally {
      await agent.dispose();
    }
  });
});
