import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { runSteward } from "../../../lab/agents/agent-in-process.ts";
import { endOfSuite } from "../../../lab/basics/ending.ts";
import { password, readState, startDevice } from "./configured-device.ts";

const { agent, environment, hash, fleet, whole, apply, applied, refused } = await startDevice(endOfSuite());

describe("steward apply", () => {
  it("with --check says what would change on a new device, and changes nothing", async () => {
    const { code, stdout } = await apply(whole, "--check", "--diff");
    assert.equal(code, 10);
    assert.match(stdout, /^created user fleet\n {2}role: none → admin\n/);
    assert.match(stdout, /password: \(secret\)/);
    assert.match(stdout, /^created token monitor\/prometheus$/m);
    assert.match(stdout, /device\.name: none → edge-7|device\.name: {2}→ edge-7/);
    assert.ok(!stdout.includes(hash) && !stdout.includes(fleet.token_hash), "no secret is shown");
    assert.deepEqual((await agent.call("GET", "/api/setup")).json, { setup_required: true });
  });

  it("makes a device of it: the password signs in, the token reads, the settings are in force", async () => {
    const { code, stdout, stderr } = await apply(whole);
    assert.equal(code, 0, stderr);
    assert.deepEqual(stdout.split("\n").slice(0, 3), [
      "created user fleet",
      "created user monitor",
      "created token monitor/prometheus",
    ]);
    const login = await agent.call("POST", "/api/auth/login", { body: { username: "fleet", password } });
    assert.equal(login.status, 200, login.text);
    const { status, json } = await agent.call("GET", "/api/system", { token: fleet.text });
    assert.deepEqual([status, json.device.name, json.security.session_idle], [200, "edge-7", "45m"]);
    assert.equal(existsSync(join(agent.stateDirectory, ".transaction.json")), false);
  });

  it("changes nothing the second time, and says so", async () => {
    const present = await readState(agent.stateDirectory);
    const { code, stdout } = await apply(whole);
    assert.deepEqual([code, stdout], [0, "no change\n"]);
    const checked = await apply(whole, "--check");
    assert.deepEqual([checked.code, checked.stdout], [0, "no change\n"]);
    assert.equal((await applied(whole)).changed, false);
    assert.deepEqual(await readState(agent.stateDirectory), present);
  });

  it("records each change as an event of root's, and the whole as one", async () => {
    const { code, stdout } = await runSteward(["-o", "json", "events"], { environment });
    assert.equal(code, 0);
    const items = (JSON.parse(stdout) as { items: { type: string; actor: { kind: string } }[] }).items;
    const own = items.filter(({ actor }) => actor.kind === "local-root").map(({ type }) => type);
    for (const type of ["user.created", "token.created", "settings.changed", "configuration.applied"])
      assert.ok(own.includes(type), type);
  });

  it("ends the sessions of a user whose password it changes, and of no other", async () => {
    const signIn = async (username: string) =>
      (await agent.call("POST", "/api/auth/login", { body: { username, password } })).json
        .access_token as string;
    const [fleets, monitors] = [await signIn("fleet"), await signIn("monitor")];
    const other = await runSteward(["hash-password", "--password-stdin"], {
      input: "nine purple kettles whistle",
    });
    await applied({ version: 1, users: [{ name: "monitor", password_hash: other.stdout.trim() }] });
    const me = async (token: string) => (await agent.call("GET", "/api/auth/me", { token })).status;
    assert.deepEqual([await me(fleets), await me(monitors)], [200, 401]);
    // A hash that counts only for a new user leaves what they have.
    const onCreate = { name: "monitor", password_hash: hash, update_password: "on_create" };
    assert.equal((await applied({ version: 1, users: [onCreate] })).changed, false);
    await applied(whole);
  });

  it("refuses a file with every fault at its place, with exit 6, and changes nothing", async () => {
    await refused({ ...whole, frobnicate: true, users: [{ name: "x", rol: "admin" }] }, [
      "/frobnicate",
      "/users/0/name",
      "/users/0/rol",
    ]);
    // Each rule has its file in faults.test.ts; these are of the rooms beside.
    const settings = { security: { session_idle: "31d" }, update: { ota: { enabled: true, server: "" } } };
    await refused({ version: 1, users: [{ name: "newcomer" }], settings }, [
      ...["/users/0/role", "/users/0/password_hash"],
      ...["/settings/security/session_idle", "/settings/security/session_idle"],
      "/settings/update/ota/enabled",
    ]);
    await refused({ version: 1, users: [{ name: "fleet", password_hash: "not-a-hash" }] }, [
      "/users/0/password_hash",
    ]);
    await refused({ version: 1, users: [{ name: "fleet", password_hash: hash.slice(0, 50) }] }, [
      "/users/0/password_hash",
    ]);
    await refused({ version: 2 }, ["/version"]);
    await refused({ users: [] }, ["/version"]);
  });

  it("refuses a file that two readers would read differently, and repeats none of its text", async () => {
    const deep = `${'{"a":'.repeat(9_000)}1${"}".repeat(9_000)}`;
    const inRoot = `{"version":1,"update_root":{"signatures":[],"signed":${deep}}}`;
    const files = [
      `{"version":1,"users":[{"name":"monitor","role":"readonly","role":"admin"}]}`,
      `{"version":1,"__proto__":{"users_not_named":"remove"}}`,
      `{"version":1,"users":[{"password_hash":"${hash}" }}`,
      inRoot,
    ];
    for (const input of files) {
      const { code, stderr } = await runSteward(["apply", "-"], { environment, input });
      assert.equal(code, 6, stderr);
      assert.ok(!stderr.includes("argon2id"), stderr);
    }
    const { status } = await agent.call("POST", "/api/configuration", { local: true, body: inRoot });
    assert.equal(status, 400);
  });

  it("is for root on the device alone: an administrator over the network is refused", async () => {
    const login = await agent.call("POST", "/api/auth/login", { body: { username: "fleet", password } });
    const { status, json } = await agent.call("POST", "/api/configuration", {
      token: login.json.access_token,
      body: whole,
    });
    assert.deepEqual([status, json.code], [403, "forbidden"]);
    const byToken = await agent.call("POST", "/api/configuration", { token: fleet.text, body: whole });
    assert.deepEqual([byToken.status, byToken.json.code], [403, "token_not_allowed"]);
    const far = await runSteward(["apply", "-", "--url", agent.url], { environment, input: "{}" });
    assert.equal(far.code, 2);
  });

  it("works with the agent down, in process", async () => {
    const directory = agent.stateDirectory;
    await agent.stop();
    const { code, stdout, stderr } = await apply({ version: 1, settings: { device: { name: "edge-8" } } });
    assert.equal(code, 0, stderr);
    assert.equal(stdout, "changed settings: device.name\n");
    const { device } = JSON.parse(await readFile(join(directory, "settings.json"), "utf8"));
    assert.equal(device.name, "edge-8");
  });
});
