import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { generateIdentity, identityToRecipient } from "age-encryption";
import { type InProcessOptions, runSteward, startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import { checkEvent } from "../../lab/agents/answer-rules.ts";
import { type BackupFileOptions, backupFile, backupOf, passphrase } from "../../lab/agents/backup-file.ts";
import { enrol } from "../../lab/agents/enrol.ts";
import { adminName, adminPassword, type RunningAgent } from "../../lab/agents/running-agent.ts";
import { codeOf } from "../../lab/basics/authenticator.ts";
import { atEnd, type Ending } from "../../lab/basics/ending.ts";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { until } from "../../lab/basics/until.ts";
import { standingTime } from "../../lab/simulated/test-time.ts";
import type { AuditEvent } from "../../src/contract/types.ts";
import type { HostIdentity } from "../../src/host/ports.ts";

/** As openIdentity gives it for a machine-id. */
const machine = (letter: string, hostname: string): HostIdentity => ({
  ...{ deviceId: letter.repeat(32), isLasting: true, bootId: `boot of ${letter}`, os: "Linux" },
  ...{ kernel: "6", arch: "x64", hostname },
});
const [boxA, boxB] = [machine("a", "box-a"), machine("b", "box-b")];
const device = { id: boxA.deviceId, name: "pump house", host_name: "box-a", time_zone: "UTC" };

const time = standingTime();

async function start(test: Ending, options: InProcessOptions): Promise<RunningAgent> {
  const agent = await startAgentInProcess({ time, ...options });
  atEnd(test, () => agent.dispose());
  return agent;
}

/** Box A with an administrator who has an authenticator, another user, and an API token; it has stopped. */
async function madeA(test: Ending) {
  const stateDirectory = scratchDirectory();
  const agent = await start(test, { stateDirectory, identity: boxA });
  const admin = await agent.signedInAdmin();
  const { secret } = await enrol(agent.call, { ...admin, password: adminPassword }, time.nowSeconds());
  const settings = { device: { name: "pump house" } };
  await agent.call("PUT", "/api/system", { local: true, body: settings });
  for (let user = 1; user < 40; user += 1) {
    const body = { username: `user-${user}`, role: "readonly", password: `quiet otters borrow ${user}` };
    assert.equal((await agent.call("POST", "/api/users", { local: true, body })).status, 201);
  }
  const { items } = (await agent.call("GET", "/api/users?limit=200", { local: true })).json;
  const { id } = items.find((one: { username: string }) => one.username === adminName);
  const wanted = { name: "prometheus", scopes: ["metrics:read", "system:read"], user_id: id };
  const made = await agent.call("POST", "/api/tokens", { local: true, body: wanted });
  assert.equal(made.status, 201, made.text);
  const log = await eventsOf(agent);
  const backup = join(scratchDirectory(), "box-a.age");
  writeFileSync(backup, await backupOf(agent));
  await agent.stop();
  const token = made.json.token as string;
  return { stateDirectory, backup, secret, token, log, seed: seedOf(stateDirectory) };
}

type BoxA = Awaited<ReturnType<typeof madeA>>;

const seedOf = (directory: string) => JSON.parse(readFileSync(join(directory, "updates.json"), "utf8")).seed;

async function eventsOf(agent: RunningAgent): Promise<AuditEvent[]> {
  return (await agent.call("GET", "/api/events?after=0&limit=200", { local: true })).json.items;
}

/** On the socket: the port of a test's agent is another one after its new start. */
const signIn = (agent: RunningAgent, secret: string) =>
  agent.call("POST", "/api/auth/login", {
    local: true,
    body: { username: adminName, password: adminPassword, code: codeOf(secret, time.nowSeconds() + 30) },
  });

/** A file of a backup of box A beside the tests. */
async function fileOf({ stateDirectory }: BoxA, options: Partial<BackupFileOptions> = {}): Promise<string> {
  const path = join(scratchDirectory(), "box-a.age");
  writeFileSync(path, await backupFile({ stateDirectory, device, steward: version, ...options }));
  return path;
}

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"));

const restore = (agent: RunningAgent, path: string, ...options: string[]) =>
  runSteward(["restore", path, "--passphrase-stdin", "--socket", agent.socket, ...options], {
    input: `${passphrase}\n`,
  });

/** Until it has started again as another device. */
const hasUsers = (agent: RunningAgent, count: number) =>
  until("the agent has the users of the backup", async () => {
    // While it starts again there is no socket.
    const answer = await agent.call("GET", "/api/users?limit=200", { local: true }).catch(() => null);
    return answer?.status === 200 && answer.json.total === count;
  });

describe("a backup that is restored on another device", () => {
  it("as a replacement lets the same people and programs in, and goes on with the record", async (test) => {
    const a = await madeA(test);
    const b = await start(test, { stateDirectory: scratchDirectory(), identity: boxB });
    const { code, stdout, stderr } = await restore(b, a.backup, "--as-replacement", "--yes");
    assert.equal(code, 0, stderr);
    assert.match(
      `${stdout}${stderr}`,
      /This device is pump house now\. Do not switch the other one on again/,
    );
    await hasUsers(b, 40);
    assert.equal((await signIn(b, a.secret)).status, 200, "the authenticator of before");
    assert.equal(
      (await b.call("GET", "/api/metrics", { local: true, token: a.token })).status,
      200,
      "the token of before",
    );
    const events = await eventsOf(b);
    assert.deepEqual(
      events.slice(0, a.log.length).map(({ hash }) => hash),
      a.log.map(({ hash }) => hash),
      "the record of before",
    );
    const restored = events.find(({ type }) => type === "host.restored") ?? assert.fail("it is no event");
    checkEvent(restored);
    assert.deepEqual(restored.details, {
      ...{ from: "pump house", as_replacement: true, former_device_id: boxA.deviceId },
      made_at: restored.details.made_at,
    });
    const verified = await runSteward(["events", "--verify", "--state", b.stateDirectory]);
    assert.equal(verified.code, 0, verified.stderr);
    await b.stop();
    assert.equal(seedOf(b.stateDirectory), a.seed, "the place in waves");
    const again = await start(test, { stateDirectory: b.stateDirectory, identity: boxB });
    const later = await eventsOf(again);
    assert.equal(later.filter(({ type }) => type === "host.restored").length, 1, "it is told once");
    assert.ok(
      later.every(({ type }) => type !== "host.identity_changed"),
      "it is no copy",
    );
    assert.equal((await again.call("GET", "/api/metrics", { local: true, token: a.token })).status, 200);
    assert.deepEqual(
      readdirSync(b.stateDirectory).filter((name) => /^\.restore|seal\.keys/.test(name)),
      [],
    );
  });

  it("otherwise is a device of its own, whose API tokens are suspended", async (test) => {
    const a = await madeA(test);
    const b = await start(test, { stateDirectory: scratchDirectory(), identity: boxB });
    const { code, stderr } = await restore(b, a.backup, "--yes");
    assert.equal(code, 0, stderr);
    await hasUsers(b, 40);
    assert.equal((await signIn(b, a.secret)).status, 200, "the authenticator of before");
    const refused = await b.call("GET", "/api/metrics", { local: true, token: a.token });
    assert.deepEqual([refused.status, refused.json?.reason], [401, "suspended"]);
    const resumed = await runSteward(["token", "resume", "--all", "--socket", b.socket]);
    assert.equal(resumed.code, 0, resumed.stderr);
    assert.equal((await b.call("GET", "/api/metrics", { local: true, token: a.token })).status, 200);
    const [first] = await eventsOf(b);
    assert.deepEqual([first?.seq, first?.type, first?.details.as_replacement], [1, "host.restored", false]);
    await b.stop();
    assert.notEqual(seedOf(b.stateDirectory), a.seed);
  });
});

describe("a backup that cannot be restored", () => {
  /** Box B, which has a user of its own, and the proof that it is as it was. */
  const madeB = async (test: Ending) => {
    const b = await start(test, { stateDirectory: scratchDirectory(), identity: boxB });
    await b.signedInAdmin();
    const before = (await b.call("GET", "/api/users", { local: true })).text;
    const isSame = async () => {
      assert.equal((await b.call("GET", "/api/users", { local: true })).text, before);
      const left = readdirSync(b.stateDirectory, { recursive: true }).map(String);
      assert.deepEqual(
        left.filter((name) => /^\.restore\/state|^\.restore\.json/.test(name)),
        [],
      );
    };
    return { b, isSame };
  };

  it("changes nothing, and says why", async (test) => {
    const a = await madeA(test);
    const { b, isSame } = await madeB(test);
    // A key costs no second of scrypt at each file.
    const identity = await generateIdentity();
    const key = { recipients: [await identityToRecipient(identity)] };
    const identityFile = join(scratchDirectory(), "key.txt");
    writeFileSync(identityFile, `# created: 2026-11-27T10:00:00Z\n${identity}\n`);
    const made = (options: Partial<BackupFileOptions> = {}) => fileOf(a, { key, ...options });
    const tried = (path: string, ...options: string[]) =>
      runSteward(["restore", path, "--as-replacement", "--socket", b.socket, ...options]);
    const byKey = ["--identity", identityFile];
    const bytes = readFileSync(await made({ replaced: { "state/history.bin": "h".repeat(200_000) } }));
    const place = scratchDirectory();
    const write = (name: string, content: Buffer): string => {
      writeFileSync(join(place, name), content);
      return join(place, name);
    };
    const users = readFileSync(join(a.stateDirectory, "users.json"), "utf8");
    const flipped = Buffer.from(bytes);
    flipped[bytes.length - 100] = (flipped[bytes.length - 100] ?? 0) ^ 1;
    const cases: [what: string, path: string, code: number, says: RegExp][] = [
      ["an absent file", join(place, "none.age"), 3, /none\.age/],
      ["no backup", write("text", Buffer.from("hello")), 6, /is no file that age has encrypted/],
      ["cut", write("cut", bytes.subarray(0, -500)), 6, /damaged or cut short/],
      ["altered", write("altered", flipped), 6, /damaged or cut short/],
      [
        "a document of a newer form",
        await made({ replaced: { "state/users.json": users.replace(/"version": "\d+/, '"version": "99') } }),
        6,
        /newer release of Steward \(users\)/,
      ],
      ["a damaged document", await made({ replaced: { "state/users.json": "{" } }), 6, /"users"/],
      ["no users", await made({ altered: { "state/users.json": null } }), 6, /lacks "state\/users\.json"/],
    ];
    for (const [what, path, code, says] of cases) {
      const ended = await tried(path, "--yes", ...byKey);
      assert.deepEqual([ended.code, says.test(ended.stderr)], [code, true], `${what}: ${ended.stderr}`);
      await isSame();
    }
    const wrong = await restore(
      b,
      await fileOf(a, { key: { passphrase: "another one than that" } }),
      "--yes",
    );
    assert.deepEqual([wrong.code, /does not open/.test(wrong.stderr)], [6, true], wrong.stderr);
    await isSame();
    const right = await tried(await made(), "--check", ...byKey);
    assert.equal(right.code, 0, right.stderr);
    assert.match(right.stdout, /Comes: 40 users \(1 with a second factor\), 1 API token,/);
    await isSame();
    const unsure = await tried(await made(), ...byKey);
    assert.equal(unsure.code, 2, "no terminal to ask on");
    await isSame();
  });
});
