import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { codeOf } from "../../../lab/basics/authenticator.ts";
import { endOfSuite } from "../../../lab/basics/ending.ts";
import { standingTime } from "../../../lab/simulated/test-time.ts";
import { password, readState, secret, startDevice } from "./configured-device.ts";

const time = standingTime();
const { agent, hash, fleet, whole, steward, apply, applied, refused } = await startDevice(endOfSuite(), {
  time,
});

const signIn = async (username: string) =>
  (await agent.call("POST", "/api/auth/login", { body: { username, password } })).json;
const asks = async (path: string, token?: string) =>
  agent.call("GET", path, token === undefined ? { local: true } : { token });
const hasOrder = () => existsSync(join(agent.stateDirectory, ".transaction.json"));

describe("steward apply", () => {
  it("with --check says what would change on a new device, and changes nothing", async () => {
    const { code, stdout } = await apply(whole, "--check", "--diff");
    assert.equal(code, 10);
    assert.match(stdout, /^created user fleet\n {2}role: none → admin\n/);
    assert.match(stdout, /password: \(secret\)/);
    assert.match(stdout, /^created token monitor\/prometheus$/m);
    assert.match(stdout, /device\.name: none → edge-7|device\.name: {2}→ edge-7/);
    assert.ok(!stdout.includes(hash) && !stdout.includes(fleet.token_hash), "no secret is shown");
    assert.deepEqual((await asks("/api/setup")).json, { setup_required: true });
  });

  it("makes a device of it: the password signs in, the token reads, the settings are in force", async () => {
    const { code, stdout, stderr } = await apply(whole);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^created user fleet\ncreated user monitor\ncreated token monitor\/prometheus\n/);
    assert.ok((await signIn("fleet")).access_token);
    const { status, json } = await asks("/api/system", fleet.text);
    assert.deepEqual([status, json.device.name, json.security.session_idle], [200, "edge-7", "45m"]);
    assert.equal(hasOrder(), false);
    const { items } = (await asks("/api/events?limit=200")).json;
    const own = items.flatMap(({ actor, type }: { actor: { kind: string }; type: string }) =>
      actor.kind === "local-root" ? [type] : [],
    );
    for (const type of ["user.created", "token.created", "settings.changed", "configuration.applied"])
      assert.ok(own.includes(type), type);
  });

  it("changes nothing the second time, and says so", async () => {
    const present = await readState(agent.stateDirectory);
    for (const options of [[], ["--check"]]) {
      const { code, stdout } = await apply(whole, ...options);
      assert.deepEqual([code, stdout], [0, "no change\n"]);
    }
    assert.equal((await applied(whole)).changed, false);
    assert.deepEqual(await readState(agent.stateDirectory), present);
  });

  it("ends the sessions of a user whose password it changes, and of no other", async () => {
    const tokens = [(await signIn("fleet")).access_token, (await signIn("monitor")).access_token];
    const other = await steward(["hash-password", "--password-stdin"], "nine purple kettles whistle");
    await applied({ version: 1, users: [{ name: "monitor", password_hash: other.stdout.trim() }] });
    const statuses = [];
    for (const token of tokens) statuses.push((await asks("/api/auth/me", token)).status);
    assert.deepEqual(statuses, [200, 401]);
    // A hash that counts only for a new user leaves what they have.
    const onCreate = { name: "monitor", password_hash: hash, update_password: "on_create" };
    assert.equal((await applied({ version: 1, users: [onCreate] })).changed, false);
    await applied(whole);
  });

  it("refuses a file with every fault at its place, with exit 6, and changes nothing", async () => {
    // Each rule has its file in faults.test.ts; these are of the schema, and of the rooms beside.
    const settings = { security: { session_idle: "31d" }, update: { ota: { enabled: true, server: "" } } };
    const withHash = (password_hash: string) => ({ version: 1, users: [{ name: "fleet", password_hash }] });
    for (const [file, ...pointers] of [
      [
        { ...whole, frobnicate: true, users: [{ name: "x", rol: "admin" }] },
        ...["/frobnicate", "/users/0/name", "/users/0/rol"],
      ],
      [
        { version: 1, users: [{ name: "newcomer" }], settings },
        ...["/users/0/role", "/users/0/password_hash"],
        ...["/settings/security/session_idle", "/settings/security/session_idle"],
        "/settings/update/ota/enabled",
      ],
      [withHash("not-a-hash"), "/users/0/password_hash"],
      [withHash(hash.slice(0, 50)), "/users/0/password_hash"],
      [{ version: 2 }, "/version"],
      [{ users: [] }, "/version"],
    ] as [object, ...string[]][])
      await refused(file, pointers);
  });

  it("refuses a file that two readers would read differently, and repeats none of its text", async () => {
    const deep = `${'{"a":'.repeat(9_000)}1${"}".repeat(9_000)}`;
    const inRoot = `{"version":1,"update_root":{"signatures":[],"signed":${deep}}}`;
    for (const input of [
      `{"version":1,"users":[{"name":"monitor","role":"readonly","role":"admin"}]}`,
      `{"version":1,"__proto__":{"users_not_named":"remove"}}`,
      `{"version":1,"users":[{"password_hash":"${hash}" }}`,
      inRoot,
    ]) {
      const { code, stderr } = await steward(["apply", "-"], input);
      assert.equal(code, 6, stderr);
      assert.ok(!stderr.includes("argon2id"), stderr);
    }
    const { status } = await agent.call("POST", "/api/configuration", { local: true, body: inRoot });
    assert.equal(status, 400);
  });

  it("is for root on the device alone: neither an administrator nor a token is let in over the network", async () => {
    for (const [token, code] of [
      [(await signIn("fleet")).access_token, "forbidden"],
      [fleet.text, "token_not_allowed"],
    ]) {
      const { status, json } = await agent.call("POST", "/api/configuration", { token, body: whole });
      assert.deepEqual([status, json.code], [403, code]);
    }
    assert.equal((await steward(["apply", "-", "--url", agent.url], "{}")).code, 2);
  });
});

describe("a sealed second factor in a configuration", () => {
  const sealed = async (input: string, user = "monitor", to?: string) => {
    const key = to ?? (await steward(["seal-key"])).stdout.trim();
    return (await steward(["seal", "--to", key, "--user", user], input)).stdout.trim();
  };
  const withFactor = (text: string) => ({
    version: 1,
    users: [{ name: "monitor", second_factor: { sealed: text } }],
  });

  it("is asked for at the next sign-in, and is no change the second time, sealed anew or not", async () => {
    const before = await signIn("monitor");
    const file = withFactor(await sealed(`${secret.toLowerCase()}\n`));
    const shown = await apply(file, "--diff");
    assert.deepEqual([shown.code, shown.stdout], [0, "changed user monitor\n  second_factor: (secret)\n"]);
    assert.equal((await asks("/api/auth/me", before.access_token)).status, 401);
    const { challenge_token } = await signIn("monitor");
    const code = codeOf(secret, time.nowSeconds());
    const answer = await agent.call("POST", "/api/auth/totp", { body: { challenge_token, code } });
    const { two_factor } = (await asks("/api/auth/me", answer.json.access_token)).json;
    assert.deepEqual([two_factor.enabled, two_factor.recovery_codes_remaining], [true, 0]);
    for (const again of [file, withFactor(await sealed(secret))])
      assert.equal((await applied(again)).changed, false);
    assert.equal((await asks("/api/events?type=two_factor.enabled")).json.items.length, 1);
    assert.ok(!(await readFile(join(agent.stateDirectory, "users.json"), "utf8")).includes(secret));
  });

  it("is refused at its place for another user, for another device, altered, or none", async () => {
    const own = await sealed(secret);
    // The specification's own example of a recipient: https://age-encryption.org/v1
    const other = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj";
    // `steward seal` refuses these.
    const key = (await steward(["seal-key"])).stdout.trim();
    const foreign = [
      "JBSWY3DPEHPK3PXP",
      `otpauth://totp/x?secret=${secret}&digits=8`,
      `otpauth://hotp/x?secret=${secret}`,
    ].map((text) =>
      execFileSync("age", ["-a", "-r", key], { input: `monitor\n${text}\n`, encoding: "utf8" }),
    );
    for (const text of [
      ...[await sealed(secret, "fleet"), await sealed(secret, "monitor", other), ...foreign],
      ...[own.replace(/.{4}$/, (end) => (end === "AAAA" ? "BBBB" : "AAAA")), secret, ""],
    ])
      await refused(withFactor(text), ["/users/0/second_factor/sealed"]);
  });
});

it("a configuration is applied with the agent down, in process", async () => {
  const directory = agent.stateDirectory;
  await agent.stop();
  const { code, stdout, stderr } = await apply({ version: 1, settings: { device: { name: "edge-8" } } });
  assert.deepEqual([code, stdout], [0, "changed settings: device.name\n"], stderr);
  const settings = JSON.parse(await readFile(join(directory, "settings.json"), "utf8"));
  assert.equal(settings.device.name, "edge-8");
});
