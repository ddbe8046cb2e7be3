import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { startAgentInProcess, stopWithin } from "../../lab/agents/agent-in-process.ts";
import { openSilently } from "../../lab/agents/raw-http.ts";
import { startAgentProcess } from "../../lab/agents/running-agent.ts";
import { openStream } from "../../lab/agents/stream-reader.ts";
import { startObservingAgent } from "../../lab/agents/time-servers.ts";
import { atEnd } from "../../lab/basics/ending.ts";
import { until } from "../../lab/basics/until.ts";

describe("a stop by SIGTERM", () => {
  for (const signal of ["SIGTERM", "SIGINT"] as const)
    it(`(${signal}) lets requests in flight finish, leaves the state on the disk and ends with 0`, async (test) => {
      const agent = await startAgentProcess();
      atEnd(test, () => agent.dispose());
      await agent.signedInAdmin();
      // Each waits for its turn to be hashed.
      const bodies = Array.from({ length: 12 }, (_, index) => ({
        username: `user-${index}`,
        role: "readonly",
      }));
      const creations = bodies.map((body) => agent.call("POST", "/api/users", { local: true, body }));
      // They were written before these two, so that an agent that has answered the second of them has read them all.
      for (let looks = 0; looks < 2; looks += 1) await agent.read("/api/health");
      await Promise.race(creations);
      agent.process.kill(signal);
      assert.deepEqual(await once(agent.process, "exit"), [0, null], agent.log());
      const statuses = (await Promise.all(creations)).map(({ status }) => status);
      assert.deepEqual(statuses, Array(12).fill(201));
      const document = (name: string) => JSON.parse(readFileSync(join(agent.stateDirectory, name), "utf8"));
      assert.equal(document("users.json").accounts.length, 13, "every user that was acknowledged");
      assert.equal(document("sessions.json").sessions.length, 1, "and what was only in memory");
    });

  it("does not wait for connections that say nothing", async (test) => {
    const agent = await startAgentInProcess();
    atEnd(test, () => agent.dispose());
    const silent = await openSilently(agent.port);
    silent.on("error", () => undefined);
    // Requests in flight would have four.
    assert.equal(await stopWithin(test, agent, 1), 0);
    silent.destroy();
  });

  it("waits for no time server in the middle of a burst, and ends the record of events", async (test) => {
    const agent = await startObservingAgent({ servers: ["127.0.0.1:9", "127.0.0.2:9"] });
    atEnd(test, () => agent.dispose());
    await agent.signedInAdmin();
    await until("the first exchange", async () => {
      const { counters } = await agent.read("/api/system/time-sync");
      return counters.exchanges > 0;
    });
    assert.equal(await stopWithin(test, agent, 1), 0);
    assert.match(agent.log(), /event log head/);
  });

  it("ends streams at once", async (test) => {
    const agent = await startAgentInProcess();
    atEnd(test, () => agent.dispose());
    const { token } = await agent.signedInAdmin();
    const streams = [{ where: agent.port, token }, { where: agent.socket }];
    const open = await Promise.all(streams.map((one) => openStream({ ...one, path: "/api/events/stream" })));
    assert.equal(await stopWithin(test, agent, 1), 0);
    await Promise.all(open.map(({ ended }) => ended));
  });

  it("leaves a socket behind that the next start replaces, also after kill -9", async (test) => {
    const agent = await startAgentProcess();
    atEnd(test, () => agent.dispose());
    agent.process.kill("SIGKILL");
    await once(agent.process, "exit");
    const next = await startAgentProcess({ stateDirectory: agent.stateDirectory });
    atEnd(test, () => next.dispose());
    assert.equal((await next.read("/api/health")).status, "ok");
  });
});

describe("SIGUSR1", () => {
  it("opens no debugger, as it does in any other program of Node", async (test) => {
    const agent = await startAgentProcess();
    atEnd(test, () => agent.dispose());
    agent.process.kill("SIGUSR1");
    // Node's own thread for this signal says so, and opens the port, before the next answer but one.
    for (let turn = 0; turn < 3; turn += 1) await agent.call("GET", "/api/version", { local: true });
    assert.doesNotMatch(agent.log(), /debugger/i);
  });
});
