import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { startAgentInProcess } from "../../../lab/agents/agent-in-process.ts";
import { goodPassword, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { adminPassword, logLine } from "../../../lab/agents/running-agent.ts";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";

describe("the systemd credential steward.admin", () => {
  const home = scratchDirectory();
  let passwordHash: string;
  before(async () => {
    const { hash } = await import("@node-rs/argon2");
    passwordHash = await hash(adminPassword, { memoryCost: 19_456, timeCost: 2, parallelism: 1 });
  });

  const withCredential = async (name: string, text: string) => {
    const directory = join(home, name, "credentials");
    await mkdir(directory, { recursive: true });
    await writeFile(join(directory, "steward.admin"), text);
    return { stateDirectory: join(home, name, "state"), environment: { CREDENTIALS_DIRECTORY: directory } };
  };
  const right = (username = "provisioned") => JSON.stringify({ username, password_hash: passwordHash });

  it("makes the first administrator, who signs in with the password that it knows by its hash", async (t) => {
    const agent = await startCheckedAgent(await withCredential("right", right()));
    t.after(() => agent.dispose());
    assert.deepEqual((await agent.call("GET", "/api/setup")).json, { setup_required: false });
    assert.equal(existsSync(join(agent.runDirectory, "setup-token")), false);
    const { token } = await agent.login("provisioned", adminPassword);
    const { json } = await agent.call("GET", "/api/auth/me", { token });
    assert.deepEqual([json.role, json.must_change_password], ["admin", false]);
    assert.ok(!agent.log().includes(passwordHash), "!agent.log().includes(passwordHash)");
  });

  it("is ignored when there is an administrator, also one of that name", async (t) => {
    const options = await withCredential("late", right());
    const first = await startAgentInProcess({ stateDirectory: options.stateDirectory });
    await first.signedInAdmin();
    const body = { username: "provisioned", role: "readonly", password: goodPassword };
    await first.call("POST", "/api/users", { body, local: true });
    await first.dispose();
    const agent = await startCheckedAgent(options);
    t.after(() => agent.dispose());
    const { json } = await agent.call("GET", "/api/users", { local: true });
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
      const agent = await startAgentInProcess(await withCredential(name, text));
      t.after(() => agent.dispose());
      const line = logLine(agent.log(), "the credential steward.admin cannot be used");
      assert.equal(line?.severity, "error", name);
      assert.ok(!agent.log().includes(adminPassword), `${name}: the log knows the password`);
      assert.deepEqual((await agent.call("GET", "/api/setup")).json, { setup_required: true }, name);
    }
  });

  /** As the launcher notes root's files at each start, beside the agent's own credentials. */
  const noting = async (name: string, text: string, note: string) => {
    const options = await withCredential(name, text);
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
    const { json } = await agent.call("GET", "/api/status", { local: true });
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

  it("that has arrived, or that is not for this agent, is not lost", async (t) => {
    const agent = await startCheckedAgent(await noting("arrived", right("arrived"), `steward.admin ${file}`));
    t.after(() => agent.dispose());
    const { json } = await agent.call("GET", "/api/status", { local: true });
    assert.ok(!json.needs.some(({ code }: { code: string }) => code === "credentials"));
    await agent.login("arrived", adminPassword);
  });

  it("that is encrypted is handed over as it is", async (t) => {
    const place = "/etc/credstore.encrypted/steward.key";
    const agent = await startAgentInProcess(
      await noting("encrypted", "\n", `steward.key ${place}\nsteward.key /x`),
    );
    t.after(() => agent.dispose());
    const { json } = await agent.call("GET", "/api/status", { local: true });
    const { remedy } = json.needs.find(({ code }: { code: string }) => code === "credentials");
    assert.match(
      remedy.line,
      /\[Service\]\\nLoadCredentialEncrypted=steward\.key:\/etc\/credstore\.encrypted\/steward\.key\\n'/,
    );
  });

  it("that is not there is no error", async (t) => {
    const options = { environment: { CREDENTIALS_DIRECTORY: join(home, "nowhere") } };
    const agent = await startCheckedAgent(options);
    t.after(() => agent.dispose());
    assert.deepEqual((await agent.call("GET", "/api/setup")).json, { setup_required: true });
  });
});
