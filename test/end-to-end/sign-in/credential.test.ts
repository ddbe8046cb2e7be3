import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { startAgentInProcess } from "../../../lab/agents/agent-in-process.ts";
import { goodPassword, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { adminPassword, type RunningAgent, runSteward } from "../../../lab/agents/running-agent.ts";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";

const home = scratchDirectory();
let passwordHash: string;
before(async () => {
  const { hash } = await import("@node-rs/argon2");
  passwordHash = await hash(adminPassword, { memoryCost: 19_456, timeCost: 2, parallelism: 1 });
});
const right = () => JSON.stringify({ username: "provisioned", password_hash: passwordHash });

/** A device whose image has these credentials; `note`: those that the launcher has found among root's files. */
function device(admin: string, { token, note }: { token?: string; note?: string } = {}) {
  const place = scratchDirectory();
  const write = (path: string, text: string) => {
    mkdirSync(join(place, path, ".."), { recursive: true });
    writeFileSync(join(place, path), text);
  };
  write("credentials/steward.admin", admin);
  if (token !== undefined) write("credentials/steward.token", token);
  if (note !== undefined) write("etc/credentials", note);
  return {
    stateDirectory: join(place, "state"),
    environment: { CREDENTIALS_DIRECTORY: join(place, "credentials") },
    ...(note !== undefined && { arguments: ["--host-file", join(place, "etc/steward.json")] }),
  };
}

describe("the systemd credential steward.admin", () => {
  it("makes the first administrator, who signs in with the password that it knows by its hash", async (t) => {
    const agent = await startCheckedAgent(device(right()));
    t.after(() => agent.dispose());
    assert.deepEqual((await agent.call("GET", "/api/setup")).json, { setup_required: false });
    assert.equal(existsSync(join(agent.runDirectory, "setup-token")), false);
    const { token } = await agent.login("provisioned", adminPassword);
    const { json } = await agent.call("GET", "/api/auth/me", { token });
    assert.deepEqual([json.role, json.must_change_password], ["admin", false]);
    assert.ok(!agent.log().includes(passwordHash), "the log knows the hash");
  });

  it("is ignored when there is an administrator, also one of that name", async (t) => {
    const options = device(right());
    const first = await startAgentInProcess({ stateDirectory: options.stateDirectory });
    await first.signedInAdmin();
    const body = { username: "provisioned", role: "readonly", password: goodPassword };
    await first.call("POST", "/api/users", { body, local: true });
    await first.dispose();
    const agent = await startCheckedAgent(options);
    t.after(() => agent.dispose());
    assert.equal((await agent.read("/api/users?role=admin")).items[0].username, "root-admin");
    await agent.login("provisioned", goodPassword);
  });

  it("when broken is logged without a secret and ignored: setup by token goes on", async (t) => {
    const noHash = JSON.stringify({ username: "provisioned", password_hash: adminPassword });
    const agent = await startAgentInProcess(device(noHash));
    t.after(() => agent.dispose());
    assert.match(agent.log(), /"error","message":"the credential steward\.admin cannot be used"/);
    assert.ok(!agent.log().includes(adminPassword), "the log knows the password");
    assert.deepEqual((await agent.call("GET", "/api/setup")).json, { setup_required: true });
  });

  const needOf = async (agent: RunningAgent) =>
    (await agent.read("/api/status")).needs.find(({ code }: { code: string }) => code === "credentials");

  it("that root has put there and systemd does not hand over shuts setup, and people hear of it", async (t) => {
    const file = "/etc/steward/first-admin.json";
    const note = `\nsteward.admin ${file}\nsteward.oidc /etc/credstore/steward.oidc`;
    const agent = await startAgentInProcess(device("\n", { note }));
    t.after(() => agent.dispose());
    const tokenFile = join(agent.runDirectory, "setup-token");
    assert.equal(existsSync(tokenFile), false);
    // Also with one that somebody has put there.
    const setup_token = "planted-token-of-this-length";
    writeFileSync(tokenFile, `${setup_token}\n`);
    const body = { setup_token, username: "eve", password: goodPassword };
    const refused = await agent.call("POST", "/api/setup", { body });
    assert.deepEqual([refused.status, refused.json.code], [401, "setup_token_invalid"]);
    assert.match(refused.json.detail, /^\/etc\/steward\/first-admin\.json names the first administrator/);
    assert.match((await agent.call("GET", "/api/console")).json.banner, /first-admin\.json/);
    const { level, facts, remedy } = await needOf(agent);
    assert.equal(level, "failing");
    assert.deepEqual(facts, { check: "credentials", reason: "credential_lost", path: file });
    assert.equal(
      remedy.line,
      `mkdir -p /etc/systemd/system/steward.service.d; printf '[Service]\\nLoadCredential=steward.admin:${file}\\n' >/etc/systemd/system/steward.service.d/zzzz-credentials.conf; systemctl daemon-reload; systemctl restart steward.service`,
    );
    // Root at the box still gets in, and nothing is lost then.
    await agent.signedInAdmin();
    assert.equal(await needOf(agent), undefined);
  });

  it("that is encrypted is handed over as it is", async (t) => {
    const place = "/etc/credstore.encrypted/steward.key";
    const agent = await startAgentInProcess(device("\n", { note: `steward.key ${place}\nsteward.key /x` }));
    t.after(() => agent.dispose());
    const { remedy } = await needOf(agent);
    assert.ok(remedy.line.includes(`[Service]\\nLoadCredentialEncrypted=steward.key:${place}\\n'`));
  });
});

describe("the systemd credential steward.token", () => {
  const words = ["--user", "provisioned", "--name", "fleet", "--scope", "system:read", "--expires-in", "30d"];
  const prepare = (file: string, others = words) =>
    runSteward(["token", "prepare", join(home, file), ...others]);

  it("brings the token that `steward token prepare` has printed, and that is deleted for ever", async (t) => {
    const prepared = await prepare("first-token.json");
    assert.equal(prepared.code, 0, prepared.stderr);
    const token = prepared.stdout.trim();
    const file = join(home, "first-token.json");
    const text = readFileSync(file, "utf8");
    assert.deepEqual([text.includes(token), statSync(file).mode & 0o777], [false, 0o600], "a hash alone");
    const options = device(right(), { token: text });
    const agent = await startAgentInProcess(options);
    const use = async (path: string) => (await agent.call("GET", path, { token })).status;
    assert.deepEqual([await use("/api/status"), await use("/api/events")], [200, 403], "its scopes alone");
    const [{ id, name, username }] = (await agent.read("/api/tokens")).items;
    assert.deepEqual([name, username], ["fleet", "provisioned"]);
    const [{ actor }] = (await agent.read("/api/events?type=token.created")).items;
    assert.equal(actor.kind, "agent");
    assert.ok(!agent.log().includes(token), "the log knows the token");
    assert.equal((await agent.call("DELETE", `/api/tokens/${id}`, { local: true })).status, 204);
    await agent.dispose();
    const again = await startAgentInProcess(options);
    t.after(() => again.dispose());
    assert.equal((await again.call("GET", "/api/status", { token })).status, 401);
  });

  it("that cannot be used is logged with its fault, and the agent serves", async (t) => {
    const stranger = { username: "erin", name: "fleet", scopes: ["system:read"], token_hash: "0".repeat(64) };
    const agent = await startAgentInProcess(device(right(), { token: JSON.stringify(stranger) }));
    t.after(() => agent.dispose());
    assert.match(agent.log(), /"the credential steward\.token cannot be used".*there is no user erin/);
    assert.equal((await agent.read("/api/tokens")).total, 0);
  });

  it("is not written over another file, and not without an owner, a name and a scope", async () => {
    assert.equal((await prepare("twice.json")).code, 0);
    for (const [file, others, code, says] of [
      ["twice.json", words, 1, /already exists and is not overwritten\. Remove it first/],
      ["no-directory/token.json", words, 3, /\/no-directory does not exist\.\n$/],
      ["without.json", ["--user", "anna", "--name", "fleet"], 2, /--scope/],
      ["wrong.json", [...words.slice(0, -1), "1m"], 2, /--expires-in must be a duration from 1h to 366d/],
    ] as const) {
      const ended = await prepare(file, [...others]);
      assert.deepEqual([ended.code, ended.stdout], [code, ""], file);
      assert.match(ended.stderr, says);
    }
  });
});
