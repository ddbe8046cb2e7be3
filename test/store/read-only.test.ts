import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, type TestContext } from "node:test";
import { enrol } from "../../lab/agents/enrol.ts";
import { adminName, adminPassword, type RunningAgent } from "../../lab/agents/running-agent.ts";
import { codeNear } from "../../lab/basics/authenticator.ts";
import { until } from "../../lab/basics/until.ts";
import { login } from "../../lab/state/damaged-state.ts";
import { makeReadOnly, makeWritable, type PrivateMount } from "../../lab/state/private-mount.ts";
import { fingerprints, startAgent } from "../../lab/state/state-directory.ts";
import { itOnMount } from "./fixture.ts";

/** The agent on that disk. */
const startOn = (test: TestContext, { directory, prefix }: PrivateMount) =>
  startAgent(test, { stateDirectory: directory, prefix });

const becomesWell = (agent: RunningAgent) =>
  until("health is ok", async () => (await agent.call("GET", "/api/health")).json.status === "ok");

const body = { device: { name: "never" } };

describe("a state directory that becomes read-only", () => {
  itOnMount("refuses changes, keeps no user from signing in, and recovers", async (test, mount) => {
    const agent = await startOn(test, mount);
    const { token } = await agent.signedInAdmin();
    const before = (await agent.call("GET", "/api/system", { token })).text;
    mount.run(makeReadOnly);
    const files = await fingerprints(mount.seen);
    const { status, json } = await agent.call("PUT", "/api/system", { token, body });
    assert.deepEqual([status, json.code], [507, "storage_unwritable"]);
    assert.match(json.detail, /settings\.json cannot be written \(EROFS\) and was not changed/);
    assert.ok(json.detail.includes(`\`mount -o remount,rw ${mount.directory}\``), json.detail);
    assert.equal((await agent.call("GET", "/api/system", { token })).text, before);
    assert.deepEqual(await fingerprints(mount.seen), files);
    assert.deepEqual((await agent.call("GET", "/api/health")).json, { status: "degraded" });
    assert.equal((await agent.call("POST", "/api/auth/login", login)).status, 200);
    mount.run(makeWritable);
    assert.equal((await agent.call("PUT", "/api/system", { token, body })).status, 200);
    await becomesWell(agent);
  });
});

describe("an agent that is started on a read-only state directory", () => {
  itOnMount("signs people in, goes on in memory, and refuses changes", async (test, mount) => {
    const first = await startOn(test, mount);
    const { id, token: firstToken } = await first.signedInAdmin();
    const { secret } = await enrol(first.call, { id, token: firstToken, password: adminPassword });
    assert.equal(await first.stop(), 0);
    mount.run(makeReadOnly);
    const files = await fingerprints(mount.seen);

    const agent = await startOn(test, mount);
    const withCode = { body: { ...login.body, code: codeNear(secret, 1) } };
    const session = await agent.call("POST", "/api/auth/login", withCode);
    assert.equal(session.status, 200, session.text);
    const again = await agent.call("POST", "/api/auth/login", withCode);
    assert.deepEqual([again.status, again.json.code], [401, "totp_reused"]);
    const kept = { refresh_token: session.json.refresh_token };
    const refreshed = await agent.call("POST", "/api/auth/refresh", { body: kept });
    assert.equal(refreshed.status, 200, refreshed.text);
    const token = refreshed.json.access_token;
    for (const path of ["/api/users", "/api/logs", "/api/events", "/api/system/time-sync", "/api/updates"])
      assert.deepEqual([path, (await agent.call("GET", path, { token })).status], [path, 200]);
    const change = await agent.call("PUT", "/api/system", { token, body });
    assert.deepEqual([change.status, change.json.code], [507, "storage_unwritable"]);
    assert.deepEqual(await fingerprints(mount.seen), files);

    mount.run(makeWritable);
    assert.equal((await agent.call("PUT", "/api/system", { token, body })).status, 200);
    await becomesWell(agent);
    const words = await readFile(join(mount.seen, "sessions.json"), "utf8");
    assert.match(words, new RegExp(session.json.session.id));
  });

  itOnMount("is set up without a restart when that is possible", async (test, mount) => {
    mount.run(makeReadOnly);
    const agent = await startOn(test, mount);
    const setup_token = (await readFile(join(agent.runDirectory, "setup-token"), "utf8")).trim();
    const set = { body: { setup_token, username: adminName, password: adminPassword } };
    const refused = await agent.call("POST", "/api/setup", set);
    assert.deepEqual([refused.status, refused.json.code], [507, "storage_unwritable"]);
    mount.run(makeWritable);
    const done = await agent.call("POST", "/api/setup", set);
    assert.equal(done.status, 201, done.text);
    assert.equal((await agent.call("POST", "/api/auth/login", login)).status, 200);
    await becomesWell(agent);
  });
});

describe("an agent that systemd has given a view of its own of the file system", () => {
  itOnMount("ends for another one when that can be written again", async (test, mount) => {
    mount.run('mount -o remount,ro "$1"');
    const agent = await startAgent(test, {
      stateDirectory: mount.directory,
      // As ProtectSystem=strict does at each start.
      prefix: [...mount.prefix, "unshare", "--mount"],
      environment: { INVOCATION_ID: "0".repeat(32) },
    });
    const ended = new Promise((resolve) => agent.process.once("exit", resolve));
    mount.run('mount -o remount,rw "$1"');
    assert.equal(await ended, 75, agent.log());
    assert.match(agent.log(), /can be written again, but not by this process/);
  });
});
