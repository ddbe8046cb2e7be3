import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { startAgentInProcess } from "../../../lab/agents/agent-in-process.ts";
import { goodPassword, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { adminPassword, logLine, runSteward } from "../../../lab/agents/running-agent.ts";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";

const home = scratchDirectory();
let passwordHash: string;
before(async () => {
  const { hash } = await import("@node-rs/argon2");
  passwordHash = await hash(adminPassword, { memoryCost: 19_456, timeCost: 2, parallelism: 1 });
});
const right = (username = "provisioned") => JSON.stringify({ username, password_hash: passwordHash });

/** A device whose image has these credentials. */
const device = async (name: string, admin: string, token?: string) => {
  const directory = join(home, name, "credentials");
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, "steward.admin"), admin);
  if (token !== undefined) await writeFile(join(directory, "steward.token"), token);
  return { stateDirectory: join(home, name, "state"), environment: { CREDENTIALS_DIRECTORY: directory } };
};

describe("the systemd credential steward.admin", () => {
  it("makes the first administrator, who signs in with the password that it knows by its hash", async (t) => {
    const agent = await startCheckedAgent(await device("right", right()));
    t.after(() => agent.dispose());
    assert.deepEqual((await agent.call("GET", "/api/setup")).json, { setup_required: false });
    assert.equal(existsSync(join(agent.runDirectory, "setup-token")), false);
    const { token } = await agent.login("provisioned", adminPassword);
    const { json } = await agent.call("GET", "/api/auth/me", { token });
    assert.deepEqual([json.role, json.must_change_password], ["admin", false]);
    assert.ok(!agent.log().includes(passwordHash), "!agent.log().includes(passwordHash)");
  });

  it("is ignored when there is an administrator, also one of that name", async (t) => {
    const options = await device("late", right());
    const first = await startAgentInProcess({ stateDirectory: options.stateDirectory });
    await first.signedInAdmin();
    const body = { username: "provisioned", role: "readonly", password: goodPassword };
    await first.call("POST", "/api/users", { body, local: true });
    await first.dispose();
    const agent = await startCheckedAgent(options);
    t.after(() => agent.dispose());
    const json = await agent.read("/api/users");
    assert.deepEqual(
      json.items.map(({ username, role }: { username: string; role: string }) => `${username} ${role}`),
      ["provisioned readonly", "root-admin admin"],
    );
    await agent.login("provisioned", goodPassword);
  });

  const broken: Record<string, object> = {
    "with the password itself as hash": { password_hash: adminPassword },
    "with a hash whose salt cannot be decoded": {
      password_hash: `$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHR/Z$${"c2FsdHNhbHRz".repeat(2)}`,
    },
  };
  it("when broken is logged without a secret and ignored: setup by token goes on", async (t) => {
    for (const [name, fault] of Object.entries(broken)) {
      const text = JSON.stringify({ username: "provisioned", ...fault });
      const agent = await startAgentInProcess(await device(name, text));
      t.after(() => agent.dispose());
      const line = logLine(agent.log(), "the credential steward.admin cannot be used");
      assert.equal(line?.severity, "error", name);
      assert.ok(!agent.log().includes(adminPassword), `${name}: the log knows the password`);
      assert.deepEqual((await agent.call("GET", "/api/setup")).json, { setup_required: true }, name);
    }
  });

  /** As the launcher notes root's files at each start, beside the agent's own credentials. */
  const noting = async (name: string, text: string, note: string) => {
    const options = await device(name, text);
    await mkdir(join(home, name, "etc"));
    await writeFile(join(home, name, "etc/credentials"), note);
    return { ...options, arguments: ["--host-file", join(home, name, "etc/steward.json")] };
  };
  const file = "/etc/steward/first-admin.json";

  it("that root has put there and systemd does not hand over shuts setup, and people hear of it", async (t) => {
    const options = await noting(
      "lost",
      "\n",
      `\nsteward.admin ${file}\nsteward.oidc /etc/credstore/steward.oidc`,
    );
    const agent = await startAgentInProcess(options);
    t.after(() => agent.dispose());
    assert.equal(existsSync(join(agent.runDirectory, "setup-token")), false);
    // Also one that somebody has put there.
    await writeFile(join(agent.runDirectory, "setup-token"), "planted-token-of-this-length\n");
    const body = { setup_token: "planted-token-of-this-length", username: "eve", password: goodPassword };
    const refused = await agent.call("POST", "/api/setup", { body });
    assert.deepEqual([refused.status, refused.json.code], [401, "setup_token_invalid"]);
    assert.match(refused.json.detail, /^\/etc\/steward\/first-admin\.json names the first administrator/);
    const shut = await agent.call("GET", "/api/users", { token: "none" });
    assert.match(shut.json.detail, /first-admin\.json/);
    assert.match((await agent.call("GET", "/api/console")).json.banner, /first-admin\.json/);
    const json = await agent.read("/api/status");
    const lost = json.needs.filter(({ code }: { code: string }) => code === "credentials");
    assert.deepEqual(
      lost.map(({ level, facts, remedy }: { level: string; facts: object; remedy: { line: string } }) => [
        ...[level, facts, remedy.line],
      ]),
      [
        [
          "failing",
          { check: "credentials", reason: "credential_lost", path: file },
          `mkdir -p /etc/systemd/system/steward.service.d; printf '[Service]\\nLoadCredential=steward.admin:${file}\\n' >/etc/systemd/system/steward.service.d/zzzz-credentials.conf; systemctl daemon-reload; systemctl restart steward.service`,
        ],
      ],
    );
    // Root at the box still gets in, and nothing is lost then.
    await agent.signedInAdmin();
    const after = await agent.call("GET", "/api/status", { local: true });
    assert.ok(!after.json.needs.some(({ code }: { code: string }) => code === "credentials"));
  });

  it("that is encrypted is handed over as it is", async (t) => {
    const place = "/etc/credstore.encrypted/steward.key";
    const agent = await startAgentInProcess(
      await noting("encrypted", "\n", `steward.key ${place}\nsteward.key /x`),
    );
    t.after(() => agent.dispose());
    const json = await agent.read("/api/status");
    const { remedy } = json.needs.find(({ code }: { code: string }) => code === "credentials");
    assert.match(
      remedy.line,
      /\[Service\]\\nLoadCredentialEncrypted=steward\.key:\/etc\/credstore\.encrypted\/steward\.key\\n'/,
    );
  });
});

describe("the systemd credential steward.token", () => {
  const words = ["--user", "provisioned", "--name", "fleet", "--scope", "system:read", "--expires-in", "30d"];
  const prepare = async (file: string, ...others: readonly string[]) =>
    runSteward(["token", "prepare", join(home, file), ...(others.length > 0 ? others : words)]);

  it("brings the token that `steward token prepare` has printed, and that is deleted for ever", async (t) => {
    const prepared = await prepare("first-token.json");
    assert.equal(prepared.code, 0, prepared.stderr);
    const token = prepared.stdout.trim();
    const file = await readFile(join(home, "first-token.json"), "utf8");
    assert.ok(!file.includes(token), "the file has the hash of the token alone");
    assert.equal(((await stat(join(home, "first-token.json"))).mode & 0o777).toString(8), "600");
    const options = await device("token", right(), file);
    const agent = await startAgentInProcess(options);
    assert.equal((await agent.call("GET", "/api/status", { token })).status, 200);
    const refused = await agent.call("GET", "/api/events", { token });
    assert.equal(refused.status, 403, "the token has the scopes of the file alone");
    const json = await agent.read("/api/tokens");
    const [{ id, name, username, created_at, expires_at }] = json.items;
    assert.deepEqual([name, username], ["fleet", "provisioned"]);
    assert.equal(Date.parse(expires_at) - Date.parse(created_at), 30 * 86_400_000);
    const events = await agent.call("GET", "/api/events?type=token.created", { local: true });
    assert.equal(events.json.items[0].actor.kind, "agent");
    assert.ok(!agent.log().includes(token), "the log does not know the token");
    assert.equal((await agent.call("DELETE", `/api/tokens/${id}`, { local: true })).status, 204);
    await agent.dispose();
    const again = await startAgentInProcess(options);
    t.after(() => again.dispose());
    assert.equal((await again.call("GET", "/api/status", { token })).status, 401);
  });

  const token_hash = "0".repeat(64);
  const stranger = { username: "erin", name: "fleet", scopes: ["system:read"], token_hash };

  it("that cannot be used is logged with its fault, and the agent serves", async (t) => {
    const options = await device("stranger", right(), JSON.stringify(stranger));
    const agent = await startAgentInProcess(options);
    t.after(() => agent.dispose());
    const line = logLine(agent.log(), "the credential steward.token cannot be used");
    assert.match(String(line?.detail), /there is no user erin/);
    assert.equal((await agent.read("/api/tokens")).total, 0);
  });

  it("is not written over another file, and not without an owner, a name and a scope", async () => {
    await prepare("twice.json");
    const twice = await prepare("twice.json");
    assert.deepEqual([twice.code, twice.stdout], [1, ""], twice.stderr);
    assert.match(twice.stderr, /is there already and is not written over\. Remove it first/);
    const nowhere = await prepare("no-directory/token.json");
    assert.match(nowhere.stderr, /\/no-directory does not exist\.\n$/);
    const without = await prepare("without.json", "--user", "anna", "--name", "fleet");
    assert.equal(without.code, 2, without.stderr);
    const wrong = await prepare("wrong.json", ...words.slice(0, -1), "1m");
    assert.equal(wrong.code, 2, wrong.stderr);
    assert.match(wrong.stderr, /--expires-in must be a duration from 1h to 366d/);
  });
});
