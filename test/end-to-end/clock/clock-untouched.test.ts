import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { adminName, adminPassword, startAgentProcess } from "../../../lab/agents/running-agent.ts";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { traceClock } from "../../../lab/host/clock-calls.ts";

describe("an agent that was not told to set the clock", () => {
  it("sets none from its start to its stop, while people sign in and look at the clock", async (test) => {
    const directory = scratchDirectory();
    const trace = traceClock(directory);
    const agent = await startAgentProcess({ prefix: trace.prefix });
    test.after(() => agent.dispose());
    const { token } = await agent.signedInAdmin();
    assert.equal((await agent.call("GET", "/api/system", { token })).status, 200);
    const route = "/api/system/time-sync";
    assert.equal((await agent.call("GET", route, { token })).status, 200);
    // There are no servers to ask.
    assert.equal((await agent.call("POST", `${route}/reselect`, { token })).status, 503);
    for (const [body, expected] of [
      [{}, 503],
      [{ force: true }, 503],
      [{ time: new Date(Date.now() + 3_600_000).toISOString() }, 200],
    ] as const) {
      const { status, text } = await agent.call("POST", `${route}/sync`, { token, body });
      assert.equal(status, expected, text);
    }
    const wrong = { username: adminName, password: `${adminPassword}!` };
    assert.equal((await agent.call("POST", "/api/auth/login", { body: wrong })).status, 401);
    assert.equal(await agent.stop(), 0);
    const { pid } = agent.process;
    assert.ok(pid, "the agent ran");
    assert.deepEqual(await trace.settingCalls(pid), []);
    assert.match(readFileSync(join(agent.stateDirectory, "users.json"), "utf8"), new RegExp(adminName));
  });
});
