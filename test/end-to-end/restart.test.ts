import assert from "node:assert/strict";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { goodPassword, type SignedIn, startCheckedAgent } from "../../lab/agents/checked-agent.ts";
import { adminName, adminPassword } from "../../lab/agents/running-agent.ts";
import { ofSuite } from "../../lab/basics/ending.ts";
import { scratchDirectory } from "../../lab/basics/scratch.ts";

describe("a restart of the agent", () => {
  const stateDirectory = join(scratchDirectory(), "state");
  let admin: SignedIn;
  let leaver: SignedIn;
  let spent: { username: string; password: string };
  const kept: unknown[] = [];
  const read = async ({ call }: { call: typeof agent.call }, token: string) => [
    (await call("GET", "/api/users", { token })).json,
    (await call("GET", "/api/system", { token })).headers.etag,
  ];
  before(async () => {
    const first = await startCheckedAgent({ stateDirectory });
    admin = await first.signedInAdmin();
    const body = { username: "fresh", role: "operator" };
    const { json } = await first.call("POST", "/api/users", { token: admin.token, body });
    spent = { username: "fresh", password: json.initial_password };
    await first.login(spent.username, spent.password);
    leaver = await first.signedIn("leaver", "operator");
    await first.call("POST", "/api/auth/logout", { body: { refresh_token: leaver.refreshToken } });
    const windows = [{ days: ["sun"], from: "02:00", to: "04:00" }];
    await first.call("PUT", "/api/system", { token: admin.token, body: { update: { windows } } });
    kept.push(...(await read(first, admin.token)));
    await first.dispose();
  });
  const agent = ofSuite(() => startCheckedAgent({ stateDirectory }));
  const refresh = (refresh_token: string) =>
    agent.call("POST", "/api/auth/refresh", { body: { refresh_token } });

  it("makes a new signing key, keeps the session, and has users and settings as before", async () => {
    const { status, json } = await agent.call("GET", "/api/auth/me", { token: admin.token });
    assert.deepEqual([status, json.code, json.reason], [401, "invalid_token", "signature"]);
    const answer = await refresh(admin.refreshToken);
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(await read(agent, answer.json.access_token), kept);
    assert.equal((await refresh(leaver.refreshToken)).status, 401, "it was ended, and stays so");
  });

  it("keeps passwords, and a spent one-use password spent", async () => {
    await agent.login(adminName, adminPassword);
    await agent.login("leaver", goodPassword);
    assert.equal((await agent.call("POST", "/api/auth/login", { body: spent })).status, 401);
  });
});
