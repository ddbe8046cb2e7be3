import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { describe, it } from "node:test";
import { startAgentProcess } from "../../lab/agents/running-agent.ts";
import { ofSuite } from "../../lab/basics/ending.ts";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { until } from "../../lab/basics/until.ts";

describe("a reload by SIGHUP", () => {
  const hostFile = join(scratchDirectory(), "steward.json");
  const agent = ofSuite(async () => {
    writeFileSync(hostFile, JSON.stringify({ names: ["old.example.net"] }));
    return startAgentProcess({ arguments: ["--host-file", hostFile] });
  });
  ofSuite(() => agent.signedInAdmin());

  /** Writes the host file, has it read, and gives what the agent says of it. */
  const reloaded = async (host: object): Promise<string> => {
    const before = agent.log().length;
    writeFileSync(hostFile, JSON.stringify(host));
    agent.process.kill("SIGHUP");
    const said = () => agent.log().slice(before);
    await until("the agent says what it has read", () => said().includes("read again"));
    return said();
  };

  it("takes the names of the host file over, and connections stay", async (test) => {
    const connection = new Agent({ keepAlive: true, maxSockets: 1 });
    test.after(() => connection.destroy());
    /** By a name: the status, and the port that the connection came from. */
    const asked = async (host: string) => {
      const sent = request(`${agent.url}/api/version`, { agent: connection, headers: { host } }).end();
      const [response] = await once(sent, "response");
      const { localPort } = response.socket;
      await once(response.resume(), "end");
      return { status: response.statusCode, localPort };
    };
    const first = await asked("old.example.net");
    const line = await reloaded({ names: ["new.example.net"] });
    assert.match(line, /"changed":\["names"\],"needs_restart":\[\]/);
    assert.deepEqual(await asked("new.example.net"), first, "over the same connection");
    assert.deepEqual(await asked("old.example.net"), { ...first, status: 421 });
    // conf's when-exit would send the signal again.
    assert.equal(agent.log().split("read again").length - 1, 1);
  });

  it("names the members that wait for a restart, and keeps naming them", async () => {
    const host = { names: ["new.example.net"], log_units: ["nginx.service"], product: "pump-7" };
    for (const _ of ["the first time", "and again"]) {
      const line = await reloaded(host);
      assert.match(line, /"severity":"warning".*"changed":\[\],"needs_restart":\["log_units","product"/);
    }
  });
});
