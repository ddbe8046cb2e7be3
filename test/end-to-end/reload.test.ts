import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { type AgentProcess, startAgentProcess } from "../../lab/agents/running-agent.ts";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { until } from "../../lab/basics/until.ts";

describe("a reload by SIGHUP", () => {
  const home = scratchDirectory();
  let agent: AgentProcess;
  const hostFile = () => join(home, "etc/steward.json");
  const connection = new Agent({ keepAlive: true, maxSockets: 1 });

  /** By a name, over one connection that stays; the status, and the port that the connection came from. */
  const asked = (host: string) =>
    new Promise<{ status: number; from: number }>((resolve, reject) => {
      const asking = request(`${agent.url}/api/version`, { agent: connection, headers: { host } });
      asking.on("response", (response) => {
        const from = response.socket.localPort ?? 0;
        response.resume().on("end", () => resolve({ status: response.statusCode ?? 0, from }));
      });
      asking.on("error", reject).end();
    });

  /** Writes the host file, has it read, and waits for what the agent says of it. */
  const reloaded = async (text: string, said: string): Promise<string> => {
    const before = agent.log().length;
    writeFileSync(hostFile(), text);
    agent.process.kill("SIGHUP");
    await until("the agent says what it has read", () => agent.log().slice(before).includes(said));
    return agent.log().slice(before);
  };

  before(async () => {
    mkdirSync(join(home, "etc"), { mode: 0o755 });
    writeFileSync(hostFile(), JSON.stringify({ names: ["old.example.net"] }));
    agent = await startAgentProcess({ arguments: ["--host-file", hostFile()] });
    await agent.signedInAdmin();
  });
  after(async () => {
    connection.destroy();
    await agent?.dispose();
  });

  it("takes the names of the host file over, and connections stay", async () => {
    const first = await asked("old.example.net");
    assert.equal(first.status, 200);
    const line = await reloaded(JSON.stringify({ names: ["new.example.net"] }), "read again");
    assert.match(line, /"changed":\["names"\],"needs_restart":\[\]/);
    assert.deepEqual(await asked("new.example.net"), first, "over the same connection");
    assert.equal((await asked("old.example.net")).status, 421);
    // conf's when-exit would send the signal again.
    const reads = agent.log().split("read again").length - 1;
    assert.equal(reads, 1);
  });

  it("names the members that wait for a restart, and keeps naming them", async () => {
    const host = { names: ["new.example.net"], log_units: ["nginx.service"], product: "pump-7" };
    for (const _ of ["the first time", "and again"]) {
      const line = await reloaded(JSON.stringify(host), "read again");
      assert.match(line, /"severity":"warning".*"changed":\[\],"needs_restart":\["log_units","product"/);
    }
  });
});
