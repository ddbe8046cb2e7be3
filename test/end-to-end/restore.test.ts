import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { runSteward } from "../../lab/agents/agent-in-process.ts";
import { checkEvent } from "../../lab/agents/answer-rules.ts";
import { passphrase } from "../../lab/agents/backup-file.ts";
import { enrol } from "../../lab/agents/enrol.ts";
import { adminName, adminPassword, type RunningAgent } from "../../lab/agents/running-agent.ts";
import { codeOf } from "../../lab/basics/authenticator.ts";
import type { Ending } from "../../lab/basics/ending.ts";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import * as boxes from "./boxes.ts";

const { boxA, boxB, eventsOf, forgedBackup, isRestored, restore, start, time } = boxes;

const seedOf = (directory: string) => JSON.parse(readFileSync(join(directory, "updates.json"), "utf8")).seed;

/** Box A with an administrator who has an authenticator, another user, and an API token; it has stopped. */
async function madeA(test: Ending) {
  const stateDirectory = scratchDirectory();
  const agent = await start(test, { stateDirectory, identity: boxA });
  const admin = await agent.signedInAdmin();
  const { secret } = await enrol(agent.call, { ...admin, password: adminPassword }, time.nowSeconds());
  const root = async (method: string, path: string, body: object) =>
    (await agent.call(method, path, { local: true, body })).json;
  await root("PUT", "/api/system", { device: { name: "pump house" } });
  await root("POST", "/api/users", { username: "reader", role: "readonly" });
  const wanted = { name: "prometheus", scopes: ["metrics:read", "system:read"], user_id: admin.id };
  const token: string = (await root("POST", "/api/tokens", wanted)).token;
  const log = await eventsOf(agent);
  const backup = await boxes.backupFileOf(agent, { passphrase });
  await agent.stop();
  return { stateDirectory, backup, secret, token, log, seed: seedOf(stateDirectory) };
}

/** The authenticator of before, and the token of before. */
const lettingIn = async (agent: RunningAgent, { secret, token }: { secret: string; token: string }) => {
  const code = codeOf(secret, time.nowSeconds() + 30);
  const body = { username: adminName, password: adminPassword, code };
  const signedIn = await agent.call("POST", "/api/auth/login", { local: true, body });
  return [signedIn.status, (await agent.call("GET", "/api/metrics", { local: true, token })).status];
};

const byPassphrase = async (agent: RunningAgent, path: string, ...options: string[]) => {
  const words = ["restore", path, "--passphrase-stdin", "--yes", "--socket", agent.socket, ...options];
  const { code, stdout, stderr } = await runSteward(words, { input: `${passphrase}\n` });
  assert.equal(code, 0, stderr);
  await isRestored(agent);
  return `${stdout}${stderr}`;
};

describe("a backup that is restored on another device", () => {
  it("as a replacement lets the same people and programs in, and goes on with the record", async (test) => {
    const a = await madeA(test);
    const b = await start(test, { identity: boxB });
    const said = await byPassphrase(b, a.backup, "--as-replacement");
    assert.match(said, /This device is now pump house\. Do not switch on the other one again/);
    assert.deepEqual(await lettingIn(b, a), [200, 200]);
    const events = await eventsOf(b);
    assert.deepEqual(events.slice(0, a.log.length), a.log, "the record of before");
    const restored = events.find(({ type }: { type: string }) => type === "host.restored");
    checkEvent(restored);
    const { made_at: _, ...details } = restored.details;
    const former_device_id = boxA.deviceId;
    assert.deepEqual(details, { from: "pump house", as_replacement: true, former_device_id });
    const verified = await runSteward(["events", "--verify", "--state", b.stateDirectory]);
    assert.equal(verified.code, 0, verified.stderr);
    await b.stop();
    assert.equal(seedOf(b.stateDirectory), a.seed, "the place in waves");
    const again = await start(test, { stateDirectory: b.stateDirectory, identity: boxB });
    const types = (await eventsOf(again)).map(({ type }: { type: string }) => type);
    const told = types.filter((type: string) => /^host\.(restored|identity_changed)$/.test(type));
    assert.deepEqual(told, ["host.restored"], "it is told once, and is no copy");
    const left = readdirSync(b.stateDirectory).filter((name) => /^\.restore|seal\.keys/.test(name));
    assert.deepEqual(left, []);
  });

  it("otherwise is a device of its own, whose API tokens are suspended", async (test) => {
    const a = await madeA(test);
    const b = await start(test, { identity: boxB });
    await byPassphrase(b, a.backup);
    assert.deepEqual(await lettingIn(b, a), [200, 401]);
    const { items } = await b.read("/api/tokens");
    const resume = (token?: string) =>
      b.call("POST", `/api/tokens/${items[0].id}/resume`, { local: true, token });
    const refused = await resume(a.token);
    assert.deepEqual([refused.status, refused.json.reason], [401, "suspended"], "it must not resume itself");
    assert.match(refused.json.detail, new RegExp(`steward token resume ${items[0].id}`));
    const resumed = await runSteward(["token", "resume", "--all", "--socket", b.socket]);
    assert.equal(resumed.code, 0, resumed.stderr);
    assert.equal((await lettingIn(b, a))[1], 200);
    const again = await resume();
    assert.deepEqual([again.status, again.json.is_suspended], [200, false], "and again, which is no error");
    const told = (await eventsOf(b)).filter(({ type }: { type: string }) => type === "token.resumed");
    assert.deepEqual([told.length, told[0].subject.name], [1, "prometheus"]);
    checkEvent(told[0]);
    const [first] = await eventsOf(b);
    assert.deepEqual([first?.seq, first?.type, first?.details.as_replacement], [1, "host.restored", false]);
    await b.stop();
    assert.notEqual(seedOf(b.stateDirectory), a.seed);
  });
});

describe("a backup that cannot be restored, or is only looked at", () => {
  it("changes nothing, and says why", async (test) => {
    const a = await madeA(test);
    const b = await start(test, { identity: boxB });
    await b.signedInAdmin();
    const before = await b.read("/api/users");
    const whole = await forgedBackup(a.stateDirectory);
    const lacking = await forgedBackup(a.stateDirectory, { altered: { "state/users.json": null } });
    for (const [path, option, code, says] of [
      [join(scratchDirectory(), "none.age"), "--yes", 3, /none\.age/],
      [lacking, "--yes", 6, /lacks "state\/users\.json"/],
      [a.backup, "--yes", 6, /does not open/],
      [whole, "", 2, /--yes/],
      [whole, "--check", 0, /Restores 2 users \(1 with a second.*, 1 API token,/],
    ] as const) {
      const options = ["--as-replacement", ...(option ? [option] : [])];
      const ended = await restore(b, path, { options });
      assert.equal(ended.code, code, ended.stderr);
      assert.match(`${ended.stdout}${ended.stderr}`, says);
      assert.deepEqual(await b.read("/api/users"), before);
      const left = readdirSync(b.stateDirectory, { recursive: true }).map(String);
      const ofRestore = left.filter((name) => /^\.restore\/state|^\.restore\.json/.test(name));
      assert.deepEqual(ofRestore, []);
    }
  });
});
