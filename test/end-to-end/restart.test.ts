import assert from "node:assert/strict";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { goodPassword, startCheckedAgent } from "../../lab/agents/checked-agent.ts";
import { adminName, adminPassword } from "../../lab/agents/running-agent.ts";
import { ofSuite } from "../../lab/basics/ending.ts";
import { scratchDirectory } from "../../lab/basics/scratch.ts";

/** The session goes on under a new signing key: test/end-to-end/clock/wrong-clock-tokens.test.ts. */
describe("a restart of the agent", () => {
  const stateDirectory = join(scratchDirectory(), "state");
  let [ended, spent] = ["", ""];
  before(async () => {
    const first = await startCheckedAgent({ stateDirectory });
    const { token } = await first.signedInAdmin();
    const body = { username: "fresh", role: "operator" };
    spent = (await first.call("POST", "/api/users", { token, body })).json.initial_password;
    await first.login("fresh", spent);
    ended = (await first.signedIn("leaver", "operator")).refreshToken;
    await first.call("POST", "/api/auth/logout", { body: { refresh_token: ended } });
    await first.dispose();
  });
  const agent = ofSuite(() => startCheckedAgent({ stateDirectory }));

  it("keeps passwords, and a spent one-use password spent", async () => {
    await agent.login(adminName, adminPassword);
    await agent.login("leaver", goodPassword);
    const body = { username: "fresh", password: spent };
    assert.equal((await agent.call("POST", "/api/auth/login", { body })).status, 401);
    const refreshed = await agent.call("POST", "/api/auth/refresh", { body: { refresh_token: ended } });
    assert.equal(refreshed.status, 401, "a session that was ended");
  });
});
