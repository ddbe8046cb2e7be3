import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { startAgentInProcess } from "../../../lab/agents/agent-in-process.ts";
import { enrol } from "../../../lab/agents/enrol.ts";
import { adminPassword } from "../../../lab/agents/running-agent.ts";
import { codeOf } from "../../../lab/basics/authenticator.ts";
import { until } from "../../../lab/basics/until.ts";
import { standingTime } from "../../../lab/simulated/test-time.ts";
import { login } from "../../../lab/state/damaged-state.ts";
import { makeReadOnly, makeWritable, mountPrivately } from "../../../lab/state/private-mount.ts";

describe("a code that was used on a read-only disk", () => {
  it("is not good again for an agent that is started anew, also once the disk is mended", async (test) => {
    const mount = await mountPrivately(test, 48);
    if (typeof mount === "string") return test.skip(mount);
    const time = standingTime();
    const first = await startAgentInProcess({ stateDirectory: mount.seen, time });
    // systemd keeps it from one agent to the next.
    const run = first.runDirectory;
    const options = { stateDirectory: mount.seen, time, arguments: ["--run", run] };
    const { id, token } = await first.signedInAdmin();
    const { secret } = await enrol(first.call, { id, token, password: adminPassword }, time.nowSeconds());
    await first.stop();
    mount.run(makeReadOnly);

    const second = await startAgentInProcess(options);
    const withCode = { body: { ...login.body, code: codeOf(secret, time.nowSeconds() + 30) } };
    assert.equal((await second.call("POST", "/api/auth/login", withCode)).status, 200);
    await second.stop();
    assert.equal(existsSync(join(run, "unwritten-codes")), true);

    const third = await startAgentInProcess(options);
    test.after(async () => {
      for (const agent of [third, second, first]) await agent.dispose();
    });
    const again = await third.call("POST", "/api/auth/login", withCode);
    assert.deepEqual([again.status, again.json.code], [401, "totp_reused"]);
    mount.run(makeWritable);
    await until("it is forgotten", () => {
      // Until the agent looks at the disk again, and for less than a code is good.
      time.pass(0.5);
      return !existsSync(join(run, "unwritten-codes"));
    });
    const last = await third.call("POST", "/api/auth/login", withCode);
    assert.deepEqual([last.status, last.json.code], [401, "totp_reused"]);
  });
});
