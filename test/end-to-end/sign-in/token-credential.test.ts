import assert from "node:assert/strict";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { startAgentInProcess } from "../../../lab/agents/agent-in-process.ts";
import { adminPassword, logLine, runSteward } from "../../../lab/agents/running-agent.ts";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";

const words = ["--user", "provisioned", "--name", "fleet", "--scope", "system:read", "--expires-in", "30d"];

describe("the systemd credential steward.token", () => {
  const home = scratchDirectory();
  let administrator: string;
  before(async () => {
    const { hash } = await import("@node-rs/argon2");
    const password_hash = await hash(adminPassword, { memoryCost: 19_456, timeCost: 2, parallelism: 1 });
    administrator = JSON.stringify({ username: "provisioned", password_hash });
  });

  /** A device whose image has these credentials. */
  const device = async (name: string, token: string, admin = administrator) => {
    const directory = join(home, name, "credentials");
    await mkdir(directory, { recursive: true });
    await writeFile(join(directory, "steward.admin"), admin);
    await writeFile(join(directory, "steward.token"), token);
    return { stateDirectory: join(home, name, "state"), environment: { CREDENTIALS_DIRECTORY: directory } };
  };
  const prepare = async (file: string, ...others: readonly string[]) =>
    runSteward(["token", "prepare", join(home, file), ...(others.length > 0 ? others : words)]);

  it("brings the token that `steward token prepare` has printed, and that is deleted for ever", async (t) => {
    const prepared = await prepare("first-token.json");
    assert.equal(prepared.code, 0, prepared.stderr);
    const token = prepared.stdout.trim();
    const file = await readFile(join(home, "first-token.json"), "utf8");
    assert.ok(!file.includes(token), "the file has the hash of the token alone");
    assert.equal(((await stat(join(home, "first-token.json"))).mode & 0o777).toString(8), "600");
    const options = await device("right", file);
    const agent = await startAgentInProcess(options);
    assert.equal((await agent.call("GET", "/api/status", { token })).status, 200);
    const refused = await agent.call("GET", "/api/events", { token });
    assert.equal(refused.status, 403, "the token has the scopes of the file alone");
    const { json } = await agent.call("GET", "/api/tokens", { local: true });
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
  const right = { username: "provisioned", name: "fleet", scopes: ["system:read"], token_hash };

  it("that cannot be used is logged with its fault, and the agent serves", async (t) => {
    const options = await device("stranger", JSON.stringify({ ...right, username: "erin" }));
    const agent = await startAgentInProcess(options);
    t.after(() => agent.dispose());
    const line = logLine(agent.log(), "the credential steward.token cannot be used");
    assert.match(String(line?.detail), /there is no user erin/);
    assert.equal((await agent.call("GET", "/api/tokens", { local: true })).json.total, 0);
  });

  it("waits for an administrator, and is no error where it is blank", async (t) => {
    for (const [name, token] of [
      ["waits", JSON.stringify(right)],
      ["blank", "\n"],
    ] as const) {
      const agent = await startAgentInProcess(await device(name, token, "\n"));
      t.after(() => agent.dispose());
      assert.equal(logLine(agent.log(), "the credential steward.token cannot be used"), undefined, name);
      await agent.dispose();
    }
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
