import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { goodPassword, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { countHashing } from "../../../lab/agents/hashing.ts";
import {
  type Answer,
  adminName,
  adminPassword,
  outcome,
  startAgentProcess,
} from "../../../lab/agents/running-agent.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";

/** The calls of argon2 in their order, with their cost: they take nearly all of the time of a sign-in. */
const hashing: string[] = [];
countHashing((word) => hashing.push(word));

describe("sign-in", () => {
  const signIn = (username: string, password: string): Promise<Answer> =>
    agent.call("POST", "/api/auth/login", { body: { username, password } });
  const me = async (token: string) => (await agent.call("GET", "/api/auth/me", { token })).status;
  const agent = ofSuite(() => startCheckedAgent({ hasRealHashes: true }));
  before(() => agent.signedInAdmin());

  it("gives an access token that works, for fifteen minutes, and a session of 24 h with 60 min idle", async () => {
    const { status, json } = await signIn(adminName, adminPassword);
    assert.equal(status, 200);
    assert.equal(json.expires_in, 900);
    const inHours = (time: string) => (Date.parse(time) - Date.now()) / 3_600_000;
    assert.ok(
      Math.abs(inHours(json.session.expires_at) - 24) < 0.02,
      "Math.abs(inHours(json.session.expires_at) - 24) < 0.02",
    );
    assert.ok(
      Math.abs(inHours(json.session.idle_expires_at) - 1) < 0.02,
      "Math.abs(inHours(json.session.idle_expires_at) - 1) < 0.02",
    );
    const own = await agent.call("GET", "/api/auth/me", { token: json.access_token });
    assert.equal(own.json.username, adminName);
    assert.ok(
      Math.abs(Date.parse(own.json.last_login_at) - Date.now()) < 60_000,
      "Math.abs(Date.parse(own.json.last_login_at) - Date.now()) < 60_000",
    );
  });

  it("answers a wrong password, an unknown name and a disabled user alike: status, body, headers", async () => {
    const body = { username: "absent", role: "operator", password: goodPassword, enabled: false };
    await agent.call("POST", "/api/users", { body, local: true });
    const answers = [
      await signIn(adminName, "wrong but of a likely length"),
      await signIn("nobody-of-this-name", "wrong but of a likely length"),
      await signIn("absent", goodPassword),
      await signIn("ROOT ADMIN\u0000", adminPassword),
      await signIn(adminName, "x"),
    ];
    const seen = answers.map(({ status, json, headers }) => ({
      status,
      body: { ...json, request_id: "" },
      headers: { ...headers, "x-request-id": "", date: "", "content-length": "" },
    }));
    for (const one of seen) assert.deepEqual(one, seen[0]);
    assert.equal(seen[0]?.status, 401);
    assert.equal(seen[0]?.body.code, "invalid_credentials");
  });

  it("costs as much for an unknown name as for a wrong password (user enumeration by time)", async () => {
    const work: Record<string, string[]> = {};
    const names = { known: adminName, unknown: "nobody-of-this-name" };
    for (let round = 0; round < 3; round += 1) {
      for (const kind of ["known", "unknown"] as const) {
        hashing.length = 0;
        const body = { username: names[kind], password: "wrong but of a likely length" };
        const { status } = await agent.call("POST", "/api/auth/login", { body, from: `192.0.2.${round}` });
        assert.equal(status, 401, `round ${round}`);
        work[kind] = [...hashing];
      }
      assert.deepEqual(work.unknown, work.known, `round ${round}`);
    }
    // One verification, at the cost of a password that was set today.
    assert.deepEqual(work.known, ["verify $argon2id$v=19$m=19456,t=2,p=1"]);
  });

  it("hashes at today's cost in the built program, which takes no other from anywhere", async () => {
    const built = await startAgentProcess();
    try {
      await built.signedInAdmin();
      const users = readFileSync(join(built.stateDirectory, "users.json"), "utf8");
      assert.deepEqual(users.match(/\$argon2id\$v=19\$[^$"]+/g), ["$argon2id$v=19$m=19456,t=2,p=1"]);
    } finally {
      await built.dispose();
    }
  });

  describe("logout", () => {
    it("ends the session: access token and refresh token", async () => {
      const user = await agent.login(adminName, adminPassword);
      const body = { refresh_token: user.refreshToken };
      assert.equal((await agent.call("POST", "/api/auth/logout", { body })).status, 204);
      const own = await agent.call("GET", "/api/auth/me", { token: user.token });
      assert.deepEqual([own.status, own.json.reason], [401, "revoked"]);
      assert.equal(await outcome(agent.call("POST", "/api/auth/refresh", { body })), "401 invalid_token");
    });
  });

  describe("a change of the own password", () => {
    const change = (token: string, current_password: string, new_password: string) =>
      agent.call("PUT", "/api/auth/password", { token, body: { current_password, new_password } });
    const next = "seven lamps beside canals";
    it("ends the other sessions but not the own", async () => {
      await agent.signedIn("wanda", "readonly");
      const other = await agent.login("wanda", goodPassword);
      const own = await agent.login("wanda", goodPassword);
      assert.equal((await change(own.token, goodPassword, next)).status, 204);
      assert.equal(await me(own.token), 200);
      assert.equal(await me(other.token), 401);
      const body = { refresh_token: own.refreshToken };
      assert.equal((await agent.call("POST", "/api/auth/refresh", { body })).status, 200);
      assert.equal((await signIn("wanda", goodPassword)).status, 401);
      await agent.login("wanda", next);
    });
  });
});
