import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import {
  type CheckedAgent,
  goodPassword,
  type SignedIn,
  startCheckedAgent,
} from "../../lab/agents/checked-agent.ts";
import { type Answer, adminName, adminPassword } from "../../lab/agents/running-agent.ts";
import { scratchDirectory } from "../../lab/basics/scratch.ts";

describe("a restart of the agent", () => {
  const home = scratchDirectory();
  let agent: CheckedAgent;
  let admin: SignedIn;
  let spentPassword: string;
  let usersBefore: unknown;
  let settingsBefore: Answer;
  before(async () => {
    const first = await startCheckedAgent({ stateDirectory: join(home, "state") });
    admin = await first.signedInAdmin();
    const body = { username: "fresh", role: "operator" };
    const { json } = await first.call("POST", "/api/users", { token: admin.token, body });
    spentPassword = json.initial_password;
    await first.login("fresh", spentPassword);
    const left = await first.signedIn("leaver", "operator");
    await first.call("POST", "/api/auth/logout", { body: { refresh_token: left.refreshToken } });
    leaver = left;
    const change = {
      device: { name: "Pump house" },
      update: { windows: [{ days: ["sun"], from: "02:00", to: "04:00" }] },
    };
    await first.call("PUT", "/api/system", { token: admin.token, body: change });
    usersBefore = (await first.call("GET", "/api/users", { token: admin.token })).json;
    settingsBefore = await first.call("GET", "/api/system", { token: admin.token });
    await first.dispose();
    agent = await startCheckedAgent({ stateDirectory: join(home, "state") });
  });
  let leaver: SignedIn;
  after(() => agent.dispose());

  it("makes a new signing key: the old access token is refused with the reason signature", async () => {
    const { status, json } = await agent.call("GET", "/api/auth/me", { token: admin.token });
    assert.deepEqual([status, json.code, json.reason], [401, "invalid_token", "signature"]);
  });

  it("keeps the session: one refresh, and all is as before", async () => {
    const body = { refresh_token: admin.refreshToken };
    const { status, json } = await agent.call("POST", "/api/auth/refresh", { body });
    assert.equal(status, 200);
    admin = { ...admin, token: json.access_token, refreshToken: json.refresh_token };
    assert.deepEqual((await agent.call("GET", "/api/users", { token: admin.token })).json, usersBefore);
  });

  it("keeps a session that was ended ended", async () => {
    const body = { refresh_token: leaver.refreshToken };
    assert.equal((await agent.call("POST", "/api/auth/refresh", { body })).status, 401);
  });

  it("keeps passwords, and a spent one-use password spent", async () => {
    await agent.login(adminName, adminPassword);
    await agent.login("leaver", goodPassword);
    const body = { username: "fresh", password: spentPassword };
    assert.equal((await agent.call("POST", "/api/auth/login", { body })).status, 401);
  });

  it("keeps the settings and their tag", async () => {
    const { json, headers } = await agent.call("GET", "/api/system", { token: admin.token });
    assert.deepEqual(json, settingsBefore.json);
    assert.equal(json.device.name, "Pump house");
    assert.equal(headers.etag, settingsBefore.headers.etag);
  });

  it("asks for no second setup", async () => {
    assert.deepEqual((await agent.call("GET", "/api/setup")).json, { setup_required: false });
  });
});
