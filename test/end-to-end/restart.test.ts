import assert from "node:assert/strict";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import {
  type CheckedAgent,
  goodPassword,
  type SignedIn,
  startCheckedAgent,
} from "../../lab/agents/checked-agent.ts";
import { adminName, adminPassword } from "../../lab/agents/running-agent.ts";
import { ofSuite } from "../../lab/basics/ending.ts";
import { scratchDirectory } from "../../lab/basics/scratch.ts";

describe("a restart of the agent", () => {
  const stateDirectory = join(scratchDirectory(), "state");
  let admin: SignedIn;
  let leaver: SignedIn;
  let spent: string;
  let kept: unknown[];
  const readFrom = async ({ call }: CheckedAgent, token: string) => [
    (await call("GET", "/api/users", { token })).json,
    (await call("GET", "/api/system", { token })).headers.etag,
  ];
  before(async () => {
    const first = await startCheckedAgent({ stateDirectory });
    admin = await first.signedInAdmin();
    const { token } = admin;
    const body = { username: "fresh", role: "operator" };
    spent = (await first.call("POST", "/api/users", { token, body })).json.initial_password;
    await first.login("fresh", spent);
    leaver = await first.signedIn("leaver", "operator");
    await first.call("POST", "/api/auth/logout", { body: { refresh_token: leaver.refreshToken } });
    const windows = [{ days: ["sun"], from: "02:00", to: "04:00" }];
    await first.call("PUT", "/api/system", { token, body: { update: { windows } } });
    kept = await readFrom(first, token);
    await first.dispose();
  });
  const agent = ofSuite(() => startCheckedAgent({ stateDirectory }));

  it("makes a new signing key, keeps the session, and has users and settings as before", async () => {
    const me = await agent.call("GET", "/api/auth/me", { token: admin.token });
    assert.deepEqual([me.status, me.json.reason], [401, "signature"]);
    const refresh = ({ refreshToken: refresh_token }: SignedIn) =>
      agent.call("POST", "/api/auth/refresh", { body: { refresh_token } });
    const { access_token } = (await refresh(admin)).json;
    assert.deepEqual(await readFrom(agent, access_token), kept);
    assert.equal((await refresh(leaver)).status, 401, "it was ended, and stays so");
  });

  it("keeps passwords, and a spent one-use password spent", async () => {
    await agent.login(adminName, adminPassword);
    await agent.login("leaver", goodPassword);
    const body = { username: "fresh", password: spent };
    assert.equal((await agent.call("POST", "/api/auth/login", { body })).status, 401);
  });
});
