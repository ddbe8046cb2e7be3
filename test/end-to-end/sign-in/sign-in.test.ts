import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { goodPassword, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { adminName, adminPassword, outcome, startAgentProcess } from "../../../lab/agents/running-agent.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { told, wrongPassword } from "./guessing.ts";

/**
 * The calls of argon2 in their order, with the cost of what is verified: they take nearly all of the time of a sign-in. Code
 * imported from a package is settled once an agent has hashed.
 */
const hashing: string[] = [];
const load = createRequire(import.meta.url);
// The agent would use Node's own argon2 where there is one.
load("node:crypto").argon2 = undefined;
const argon2 = load("@node-rs/argon2");
for (const name of ["hash", "verify"]) {
  const made = argon2[name];
  argon2[name] = (given: string, ...others: unknown[]) => {
    hashing.push(name === "hash" ? name : `verify ${given.split("$").slice(0, 4).join("$")}`);
    return made(given, ...others);
  };
}

const todaysCost = "$argon2id$v=19$m=19456,t=2,p=1";

describe("sign-in", () => {
  const agent = ofSuite(() => startCheckedAgent({ hasRealHashes: true }));
  before(() => agent.signedInAdmin());
  const signIn = (username: string, password: string, from?: string) =>
    agent.call("POST", "/api/auth/login", { body: { username, password }, ...(from && { from }) });
  const me = async (token: string) => (await agent.call("GET", "/api/auth/me", { token })).json;
  const refresh = (refresh_token: string) =>
    outcome(agent.call("POST", "/api/auth/refresh", { body: { refresh_token } }));

  it("gives an access token that works, for fifteen minutes, and a session of 24 h with 60 min idle", async () => {
    const { json } = await signIn(adminName, adminPassword);
    assert.equal(json.expires_in, 900);
    const minutesTo = (time: string) => (Date.parse(time) - Date.now()) / 60_000;
    assert.ok(Math.abs(minutesTo(json.session.expires_at) - 24 * 60) < 1.2);
    assert.ok(Math.abs(minutesTo(json.session.idle_expires_at) - 60) < 1.2);
    const { username, last_login_at } = await me(json.access_token);
    assert.equal(username, adminName);
    assert.ok(Math.abs(minutesTo(last_login_at)) < 1);
  });

  it("answers a wrong password, an unknown name and a disabled user alike: status, body, headers", async () => {
    const body = { username: "absent", role: "operator", password: goodPassword, enabled: false };
    await agent.call("POST", "/api/users", { body, local: true });
    const answers = [
      await signIn(adminName, wrongPassword),
      await signIn("nobody-of-this-name", wrongPassword),
      await signIn("absent", goodPassword),
      await signIn("ROOT ADMIN\u0000", adminPassword),
      await signIn(adminName, "x"),
    ];
    const [first, ...others] = answers.map(told);
    assert.deepEqual([first?.status, first?.body.code], [401, "invalid_credentials"]);
    for (const one of others) assert.deepEqual(one, first);
  });

  it("costs as much for an unknown name as for a wrong password (user enumeration by time)", async () => {
    for (let round = 0; round < 3; round += 1)
      for (const name of [adminName, "nobody-of-this-name"]) {
        hashing.length = 0;
        assert.equal((await signIn(name, wrongPassword, `192.0.2.${round}`)).status, 401);
        // One verification, at the cost of a password that was set today.
        assert.deepEqual(hashing, [`verify ${todaysCost}`], name);
      }
  });

  it("hashes at today's cost in the built program, which takes no other from anywhere", async (test) => {
    const built = await startAgentProcess();
    test.after(() => built.dispose());
    await built.signedInAdmin();
    const users = readFileSync(join(built.stateDirectory, "users.json"), "utf8");
    assert.deepEqual(users.match(/\$argon2id\$v=19\$[^$"]+/g), [todaysCost]);
  });

  describe("logout", () => {
    it("ends the session: access token and refresh token", async () => {
      const { token, refreshToken } = await agent.login(adminName, adminPassword);
      const body = { refresh_token: refreshToken };
      assert.equal((await agent.call("POST", "/api/auth/logout", { body })).status, 204);
      assert.equal((await me(token)).reason, "revoked");
      assert.equal(await refresh(refreshToken), "401 invalid_token");
    });
  });

  describe("a change of the own password", () => {
    it("ends the other sessions but not the own", async () => {
      await agent.signedIn("wanda", "readonly");
      const other = await agent.login("wanda", goodPassword);
      const { token, refreshToken } = await agent.login("wanda", goodPassword);
      const body = { current_password: goodPassword, new_password: "seven lamps beside canals" };
      assert.equal((await agent.call("PUT", "/api/auth/password", { token, body })).status, 204);
      assert.deepEqual([(await me(token)).username, (await me(other.token)).reason], ["wanda", "revoked"]);
      assert.equal(await refresh(refreshToken), "200");
      assert.equal((await signIn("wanda", goodPassword)).status, 401);
      await agent.login("wanda", body.new_password);
    });
  });
});
