import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { adminName, adminPassword, startAgentProcess } from "../running-agent.ts";

describe("a stop by SIGTERM", () => {
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    it(`(${signal}) lets requests in flight finish, leaves the state on the disk and ends with 0 within 5 s`, async () => {
      const agent = await startAgentProcess();
      try {
        await agent.signedInAdmin();
        const body = { username: adminName, password: adminPassword };
        // Two sign-ins: one is being hashed, one waits for its turn.
        const first = agent.call("POST", "/api/auth/login", { body });
        const second = agent.call("POST", "/api/auth/login", { body });
        await delay(3);
        const begun = performance.now();
        agent.process.kill(signal);
        const code = await new Promise((resolve) => agent.process.once("exit", resolve));
        assert.equal(code, 0, agent.log());
        assert.ok(performance.now() - begun < 5_000, "performance.now() - begun < 5_000");
        const [{ status }, later] = await Promise.all([first, second]);
        assert.equal(status, 200);
        assert.ok([200, 503].includes(later.status), `${later.status}`);
        const { sessions } = JSON.parse(readFileSync(join(agent.stateDirectory, "sessions.json"), "utf8"));
        const expected = 2 + (later.status === 200 ? 1 : 0);
        assert.equal(sessions.length, expected, "every session that was given out is on the disk");
      } finally {
        await agent.dispose();
      }
    });
  }

  it("does not wait for connections that say nothing", async () => {
    const agent = await startAgentProcess();
    const silent = connect({ host: "127.0.0.1", port: agent.port });
    silent.on("error", () => undefined);
    await new Promise((resolve) => silent.once("connect", resolve));
    const begun = performance.now();
    assert.equal(await agent.stop(), 0);
    assert.ok(performance.now() - begun < 5_000, "performance.now() - begun < 5_000");
    silent.destroy();
    await agent.dispose();
  });

  it("leaves a socket behind that the next start replaces, also after kill -9", async () => {
    const agent = await startAgentProcess();
    agent.process.kill("SIGKILL");
    await new Promise((resolve) => agent.process.once("exit", resolve));
    const next = await startAgentProcess({ stateDirectory: agent.stateDirectory });
    assert.equal((await next.call("GET", "/api/health", { local: true })).json.status, "ok");
    await next.dispose();
    await agent.dispose();
  });
});
