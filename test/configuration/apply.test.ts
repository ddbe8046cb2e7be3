import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { runSteward, startAgentInProcess } from "../agent-in-process.ts";
import { codeNear } from "../authenticator.ts";
import type { RunningAgent } from "../running-agent.ts";
import { endOfSuite, temporaryDirectory } from "../store/state-directory.ts";
import { until } from "../until.ts";
import { canonical } from "../updates/lab/canonical.ts";
import { SignedRepository } from "../updates/lab/signed-repository.ts";
import { createSigningKey } from "../updates/lab/signing-key.ts";

const password = "seven crooked ladders lean";

/** A token, and the hash that a file has of it. */
function newToken() {
  const text = `stw_${randomBytes(32).toString("base64url")}`;
  return { text, token_hash: createHash("sha256").update(text).digest("hex") };
}

const fleet = newToken();

interface File {
  [member: string]: unknown;
}

describe("steward apply", () => {
  let agent: RunningAgent;
  let environment: Record<string, string>;
  let hash: string;
  let whole: File;
  let hostFile: string;
  const suite = endOfSuite();
  before(async () => {
    hostFile = join(await temporaryDirectory(suite), "steward.json");
    agent = await startAgentInProcess({ arguments: ["--host-file", hostFile] });
    environment = {
      ...{ STEWARD_SOCKET: agent.socket, STEWARD_STATE: agent.stateDirectory },
      STEWARD_HOST_FILE: hostFile,
    };
    const made = await runSteward(["hash-password", "--password-stdin"], { input: `${password}\n` });
    assert.equal(made.code, 0, made.stderr);
    hash = made.stdout.trim();
    whole = {
      version: 1,
      users: [
        { name: "fleet", role: "admin", password_hash: hash, display_name: "The fleet" },
        { name: "monitor", role: "readonly", password_hash: hash },
      ],
      tokens: [{ ...tokenOf(fleet.token_hash), expires_in: "30d" }],
      settings: { device: { name: "edge-7" }, security: { session_idle: "45m" } },
    };
  });
  after(() => agent.dispose());

  const tokenOf = (token_hash: string) => ({
    token_hash,
    name: "prometheus",
    user: "monitor",
    scopes: ["system:read"],
  });
  const apply = (file: unknown, ...options: string[]) =>
    runSteward(["apply", "-", ...options], { environment, input: JSON.stringify(file) });
  const applied = async (file: unknown) => {
    const { code, stdout, stderr } = await apply(file, "-o", "json");
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout) as { changed: boolean; changes: { action: string; name: string }[] };
  };
  /** Refused with 6, and these places; nothing is changed. */
  const refused = async (file: unknown, pointers: string[]) => {
    const state = () => readState(agent.stateDirectory);
    const present = await state();
    const { code, stderr } = await apply(file, "-o", "json");
    assert.equal(code, 6, stderr);
    const { errors } = JSON.parse(stderr) as { errors: { pointer: string }[] };
    assert.deepEqual(errors.map(({ pointer }) => pointer).sort(), [...pointers].sort());
    assert.deepEqual(await state(), present);
    assert.equal(existsSync(join(agent.stateDirectory, ".transaction.json")), false);
  };

  it("with --check says what would change on a new device, and changes nothing", async () => {
    const { code, stdout } = await apply(whole, "--check", "--diff");
    assert.equal(code, 0);
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

  it("keeps users and tokens that the file does not name, and removes them where it says so", async () => {
    const more = { name: "olga", role: "operator", password_hash: hash };
    assert.equal((await applied({ version: 1, users: [more] })).changed, true);
    assert.equal((await applied(whole)).changed, false);
    const without = { ...whole, users_not_named: "remove" };
    const { changes } = await applied(without);
    assert.deepEqual(
      changes.map(({ action, name }) => [action, name]),
      [["removed", "olga"]],
    );
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
    // A hash that counts for a new user alone leaves what they have.
    const onCreate = { name: "monitor", password_hash: hash, update_password: "on_create" };
    assert.equal((await applied({ version: 1, users: [onCreate] })).changed, false);
    await applied(whole);
  });

  it("has two tokens valid at once while the file names both, and ends the former one with it", async () => {
    const next = newToken();
    const token = { ...tokenOf(next.token_hash), expires_at: "2026-13-01T00:00:00Z" };
    await refused({ ...whole, tokens: [token] }, ["/tokens/0/expires_at"]);
    const rotated = { ...whole, tokens: [...(whole.tokens as object[]), tokenOf(next.token_hash)] };
    assert.equal((await applied(rotated)).changed, true);
    const read = async (text: string) => (await agent.call("GET", "/api/status", { token: text })).status;
    assert.deepEqual([await read(fleet.text), await read(next.text)], [200, 200]);
    await applied({ ...rotated, tokens: [tokenOf(next.token_hash)], tokens_not_named: "remove" });
    assert.deepEqual([await read(fleet.text), await read(next.text)], [401, 200]);
    await applied({ ...whole, tokens_not_named: "remove" });
  });

  it("refuses a file with every fault at its place, with exit 6, and changes nothing", async () => {
    await refused({ ...whole, frobnicate: true, users: [{ name: "x", rol: "admin" }] }, [
      "/frobnicate",
      "/users/0/name",
      "/users/0/rol",
    ]);
    await refused(
      {
        version: 1,
        users: [
          { name: "fleet", role: "operator" },
          { name: "newcomer" },
          { name: "weak-one", role: "readonly", password_hash: hash.replace("m=19456", "m=4096") },
          // 254 MiB, 99 times over: a stranger who tries this name would keep everyone out for a minute.
          { name: "slow-one", role: "readonly", password_hash: hash.replace("m=19456,t=2", "m=259999,t=99") },
        ],
        tokens: [
          { ...tokenOf("0".repeat(64)), user: "stranger" },
          { ...tokenOf("1".repeat(64)), scopes: ["updates:apply"] },
        ],
        settings: { security: { session_idle: "31d" }, update: { ota: { enabled: true, server: "" } } },
      },
      [
        "/users/0",
        "/users/1/role",
        "/users/1/password_hash",
        "/users/2/password_hash",
        "/users/3/password_hash",
        "/tokens/0/user",
        "/tokens/1/scopes",
        "/settings/security/session_idle",
        "/settings/security/session_idle",
        "/settings/update/ota/enabled",
      ],
    );
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

  it("refuses to take the last administrator away, however the file would do it", async () => {
    await refused({ version: 1, users: [{ name: "fleet", enabled: false }] }, ["/users/0"]);
    await refused({ version: 1, users: [], users_not_named: "remove" }, ["/users_not_named"]);
  });

  describe("a root of trust in it", () => {
    const publisher = new SignedRepository();
    const root = (version: number, of = publisher) =>
      JSON.parse(of.metadata(`${version}.root`).toString()) as { signed: object };
    /** By nothing of ours. */
    const fingerprintOf = (version: number) =>
      createHash("sha256")
        .update(canonical(root(version).signed))
        .digest("hex");
    const installed = () => join(hostFile, "../update-root.json");
    const inForce = async () => (await agent.call("GET", "/api/updates", { local: true })).json.trust;
    const named = (name: string, update_root: unknown) => ({
      ...{ version: 1, update_root, settings: { device: { name } } },
    });
    const deviceName = async () =>
      (await agent.call("GET", "/api/system", { local: true })).json.device.name as string;
    before(() => {
      for (const _ of ["second", "third"]) {
        publisher.keys.root = [createSigningKey()];
        publisher.publishRoot();
      }
    });

    it("is installed beside the host file with the rest, and is no change the second time", async () => {
      const file = named("edge-1", root(1));
      const { stdout } = await apply(file, "--check", "--diff");
      assert.match(
        stdout,
        new RegExp(
          `^created update_root\n {2}fingerprint: none → ${fingerprintOf(1)}\n {2}version: none → 1`,
        ),
      );
      assert.equal(existsSync(installed()), false);
      assert.equal((await applied(file)).changed, true);
      assert.equal((await stat(installed())).mode & 0o777, 0o644);
      assert.deepEqual(JSON.parse(await readFile(installed(), "utf8")), root(1));
      assert.equal(await deviceName(), "edge-1");
      assert.equal(existsSync(join(agent.stateDirectory, ".transaction.json")), false);
      const { ino } = await stat(installed());
      assert.equal((await applied(file)).changed, false);
      assert.equal((await stat(installed())).ino, ino);
      await until("the agent goes by it", async () => (await inForce()).fingerprint === fingerprintOf(1));
    });

    it("follows the installed one by a chain, each signed by the one before", async () => {
      await refused(named("edge-3", root(3)), ["/update_root"]);
      const { changes } = await applied(named("edge-3", [root(1), root(2), root(3)]));
      assert.deepEqual(
        changes.map(({ action }) => action),
        ["changed", "changed"],
      );
      assert.deepEqual(JSON.parse(await readFile(installed(), "utf8")), root(3));
      assert.equal((await applied(named("edge-3", root(3)))).changed, false);
    });

    it("is refused at its place where it does not follow, and nothing is changed", async () => {
      const thief = publisher.fork();
      thief.keys.root = [createSigningKey()];
      thief.signers.root = thief.keys.root;
      thief.publishRoot();
      const stranger = new SignedRepository();
      const { signed } = root(3);
      const bad: [unknown, string][] = [
        [root(2), "/update_root"],
        [[root(1), root(2)], "/update_root/0"],
        [[root(1), root(3)], "/update_root/1"],
        [root(4, thief), "/update_root"],
        [[root(3), root(4, thief)], "/update_root/1"],
        [root(1, stranger), "/update_root"],
        [[root(3), { signatures: [], signed }], "/update_root/1"],
        [{ signatures: [], signed: {} }, "/update_root"],
      ];
      for (const [one, pointer] of bad) await refused(named("edge-9", one), [pointer]);
      assert.deepEqual(JSON.parse(await readFile(installed(), "utf8")), root(3));
    });

    it("changes nothing else where root cannot put it in its place, or the agent looks elsewhere", async () => {
      publisher.publishRoot();
      const elsewhere = join(await temporaryDirectory(suite), "steward.json");
      const input = JSON.stringify(named("edge-4", root(4)));
      // A folder in its place, which no file can replace.
      const blocked = join(elsewhere, "../blocked/update-root.json");
      await mkdir(blocked, { recursive: true });
      for (const path of [elsewhere, join(blocked, "../steward.json")]) {
        const { code, stderr } = await runSteward(["apply", "-"], {
          environment: { ...environment, STEWARD_HOST_FILE: path },
          input,
        });
        assert.notEqual(code, 0, stderr);
        assert.equal(await deviceName(), "edge-3");
        assert.equal(existsSync(join(agent.stateDirectory, ".transaction.json")), false);
      }
      await applied(named("edge-7", root(4)));
    });
  });

  describe("a sealed second factor in it", () => {
    /** The test key of RFC 6238 as a longer one, in base32. */
    const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
    const sealed = async (input: string, user = "monitor", to?: string) => {
      const key = to ?? (await runSteward(["seal-key"], { environment })).stdout.trim();
      return runSteward(["seal", "--to", key, "--user", user], { input });
    };
    const withFactor = (text: string) => ({
      version: 1,
      users: [{ name: "monitor", second_factor: { sealed: text } }],
    });
    const signIn = async () => {
      const body = { username: "monitor", password };
      return (await agent.call("POST", "/api/auth/login", { body })).json;
    };

    it("is asked for at the next sign-in, and is no change the second time, sealed anew or not", async () => {
      const before = await signIn();
      const { stdout } = await sealed(`${secret.toLowerCase()}\n`);
      const file = withFactor(stdout.trim());
      const shown = await apply(file, "--diff");
      assert.deepEqual([shown.code, shown.stdout], [0, "changed user monitor\n  second_factor: (secret)\n"]);
      assert.equal((await agent.call("GET", "/api/auth/me", { token: before.access_token })).status, 401);
      const { challenge_token } = await signIn();
      const code = await codeNear(secret, 0);
      const answer = await agent.call("POST", "/api/auth/totp", { body: { challenge_token, code } });
      assert.equal(answer.status, 200, answer.text);
      const { json } = await agent.call("GET", "/api/auth/me", { token: answer.json.access_token });
      assert.deepEqual([json.two_factor.enabled, json.two_factor.recovery_codes_remaining], [true, 0]);
      assert.equal((await applied(file)).changed, false);
      assert.equal((await applied(withFactor((await sealed(secret)).stdout.trim()))).changed, false);
      const events = await runSteward(["-o", "json", "events"], { environment });
      assert.match(events.stdout, /"type": ?"two_factor\.enabled"/);
      assert.ok(!(await readFile(join(agent.stateDirectory, "users.json"), "utf8")).includes(secret));
    });

    it("is no other user's, not even that of one who is called as what every object has", async () => {
      const other = { name: "constructor", role: "readonly", password_hash: hash };
      const { users } = withFactor((await sealed("MFRGGZDFMZTWQ2LKNNWG23TPOBYXE43U")).stdout.trim());
      await applied({ version: 1, users: [...users, other] });
      const { items } = (await agent.call("GET", "/api/users", { local: true })).json;
      const made = items.find(({ username }: { username: string }) => username === "constructor");
      assert.equal(made.two_factor.enabled, false);
      await applied({ ...whole, users_not_named: "remove" });
    });

    it("is refused at its place for another user, for another device, altered, or none", async () => {
      const own = (await sealed(secret)).stdout.trim();
      // RFC 9180, A.1: its recipient is another device.
      const other = "3948cfe0ad1ddb695d780e59077195da6c56506b027329794ab02bca80815c4d";
      const texts = [
        (await sealed(secret, "fleet")).stdout.trim(),
        (await sealed(secret, "monitor", other)).stdout.trim(),
        own.replace(/.{4}$/, (end) => (end === "AAAA" ? "BBBB" : "AAAA")),
        secret,
        "",
      ];
      for (const text of texts) await refused(withFactor(text), ["/users/0/second_factor/sealed"]);
    });

    it("is not sealed where the secret is too short, or the key none (exit 6)", async () => {
      for (const input of ["JBSWY3DPEHPK3PXP\n", "\n", `${secret}1\n`])
        assert.equal((await sealed(input)).code, 6);
      for (const key of ["AAAA", "00".repeat(31), "00".repeat(32)])
        assert.equal((await sealed(secret, "monitor", key)).code, 6, key);
      assert.equal((await runSteward(["seal"], { input: secret })).code, 2);
    });
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

  it("takes a file that is no JSON, cut off or too large for what it is (exit 6)", async () => {
    for (const input of ["", '{"version":1', "users:\n- name: x\n", `"${"x".repeat(600_000)}"`]) {
      const { code, stderr } = await runSteward(["apply", "-"], { environment, input });
      assert.equal(code, 6, stderr);
    }
    assert.equal((await runSteward(["apply", "/nonexistent.json"], { environment })).code, 3);
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

/** What a configuration may change, as it lies on the disk; without what a use or a sign-in notes. */
async function readState(directory: string): Promise<unknown[]> {
  const read = async (name: string) => JSON.parse(await readFile(join(directory, `${name}.json`), "utf8"));
  const [users, tokens, settings] = [await read("users"), await read("tokens"), await read("settings")];
  return [
    users.accounts.map(({ last_login_at: _, ...account }: Record<string, unknown>) => account),
    tokens.tokens.map(({ last_used_at: _, last_used_from: __, ...token }: Record<string, unknown>) => token),
    settings,
  ];
}
