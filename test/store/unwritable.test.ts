import assert from "node:assert/strict";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { type InProcessOptions, runSteward, startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import { enrol } from "../../lab/agents/enrol.ts";
import {
  adminName,
  adminPassword,
  type CallOptions,
  type RunningAgent,
} from "../../lab/agents/running-agent.ts";
import { codeNear } from "../../lab/basics/authenticator.ts";
import { atEnd, temporaryDirectory } from "../../lab/basics/ending.ts";
import { until } from "../../lab/basics/until.ts";
import { standingTime } from "../../lab/simulated/test-time.ts";
import { login } from "../../lab/state/damaged-state.ts";
import { fill, makeReadOnly, makeWritable, type PrivateMount } from "../../lab/state/private-mount.ts";
import { fingerprints, keptFiles, onDisk, open, startAgent } from "../../lab/state/state-directory.ts";
import { counterKind } from "../../lab/state/store-counter.ts";
import type { StewardError } from "../../src/contract/errors.ts";
import type { State } from "../../src/programs/agent/state.ts";
import { takeLock } from "../../src/store/files/lock.ts";
import { reserveBytes } from "../../src/store/files/reserve.ts";
import { counterOn, inFormat, itOnMount, openStateAt } from "./fixture.ts";

describe("the very first start", () => {
  itOnMount("on a full disk is set up without a restart when there is space", async (test, mount) => {
    await fill(mount);
    const agent = await begun(test, { stateDirectory: mount.seen });
    const said = /^Only 0 MiB are free on .* The reserve, .* does not exist\. .* The reserve takes 8 MiB/;
    await until("health names the disk", async () => said.test(await troubleOf(agent, "disk")));
    const text = await troubleOf(agent, "users");
    assert.match(text, /^Changes are kept in memory until the disk can be written \(users\)/);
    assert.deepEqual(await setUp(agent), [507, "storage_full"]);
    mount.run('rm "$1/.filler"');
    assert.deepEqual(await setUp(agent), [201, undefined]);
    assert.equal((await agent.call("POST", "/api/auth/login", login)).status, 200);
    await until("health is ok", () => isWell(agent));
    assert.equal((await stat(join(mount.seen, ".reserve"))).size, reserveBytes);
  });

  it("is one beside a history, which may come to the disk before the accounts do", async (test) => {
    const stateDirectory = await temporaryDirectory(test);
    await writeFile(join(stateDirectory, "history.bin"), "");
    // A file system of its own has this directory at its root; it is no state.
    await mkdir(join(stateDirectory, "lost+found"));
    const agent = await begun(test, { stateDirectory });
    assert.equal((await agent.call("GET", "/api/setup")).json.setup_required, true);
  });

  itOnMount("on a read-only disk makes the credential's administrator later", async (test, mount) => {
    mount.run(makeReadOnly);
    const credentials = await temporaryDirectory(test);
    const hash =
      "$argon2id$v=19$m=19456,t=2,p=1$YWFhYWFhYWFhYWFhYWFhYQ$RGV0ZXJtaW5pc3RpY0J5dGVzT2ZUaGVIYXNoMTIzNDU";
    const administrator = JSON.stringify({ username: adminName, password_hash: hash });
    await writeFile(join(credentials, "steward.admin"), administrator);
    const environment = { CREDENTIALS_DIRECTORY: credentials };
    const agent = await begun(test, { stateDirectory: mount.seen, environment });
    assert.deepEqual((await agent.call("GET", "/api/setup")).json.setup_required, true);
    mount.run(makeWritable);
    const isMade = async () => (await readFile(join(mount.seen, "users.json"), "utf8")).includes(hash);
    await until("the administrator is on the disk", () => isMade().catch(() => false));
    // The file is at its place before its directory is on the disk, and only then the agent goes by it.
    const isSetUp = async () => (await agent.call("GET", "/api/setup")).json.setup_required === false;
    await until("the setup is over", isSetUp);
  });

  itOnMount("without a state directory is a rescue that says so, until it can be", async (test, mount) => {
    mount.run(makeReadOnly);
    const agent = await begun(test, { stateDirectory: join(mount.seen, "steward") });
    assert.match(
      await troubleOf(agent, "state"),
      /^The agent cannot reach its stored state\. The directory .*steward cannot be made \(EROFS\)\. /,
    );
    mount.run(makeWritable);
    // It ends listening in between.
    await until("it serves", () => isWell(agent, { local: true }).catch(() => false));
  });
});

async function begun(test: TestContext, options: InProcessOptions): Promise<RunningAgent> {
  const agent = await startAgentInProcess(options);
  atEnd(test, () => agent.dispose());
  return agent;
}

/** First-run setup as the console does it: the status, and the code of a refusal. */
async function setUp(agent: RunningAgent): Promise<[number, string | undefined]> {
  const setup_token = (await readFile(join(agent.runDirectory, "setup-token"), "utf8")).trim();
  const body = { setup_token, username: adminName, password: adminPassword };
  const { status, json } = await agent.call("POST", "/api/setup", { body });
  return [status, json.code];
}

async function isWell(agent: RunningAgent, options: CallOptions = {}): Promise<boolean> {
  return (await agent.call("GET", "/api/health", options)).json.status === "ok";
}

async function troubleOf(agent: RunningAgent, check: string): Promise<string> {
  const { checks } = (await agent.call("GET", "/api/health", { local: true })).json;
  return checks.find(({ name }: { name: string }) => name === check)?.detail ?? `no check ${check}`;
}

describe("state that is opened on a read-only disk", () => {
  itOnMount("begins where nothing was written, accounts first as soon as it can", async (_, mount) => {
    mount.run(makeReadOnly);
    const state = await openStateAt(mount.seen);
    assert.deepEqual(state.users.read(), { accounts: [] });
    assert.deepEqual(troubles(state).slice(0, 2), ["users", "settings"]);
    mount.run(makeWritable);
    // A document without the accounts would look like state that has lost them, if the start were cut short now.
    await state.settings.save();
    assert.deepEqual(await documentsOn(mount), []);
    await state.users.save();
    assert.deepEqual(await documentsOn(mount), ["users.json"]);
    await state.close();
    await state.disk.look();
    assert.deepEqual(troubles(state), []);
    assert.ok((await documentsOn(mount)).includes("settings.json"), "settings are on the disk");
  });

  itOnMount("keeps a damaged file until it can be set aside", async (_, mount) => {
    await writeFile(join(mount.seen, "counter.json"), "{ torn");
    await writeFile(join(mount.seen, "counter.good.json"), inFormat("1.0.0", { counter: 40 }));
    mount.run(makeReadOnly);
    const counter = await open(mount.seen, counterKind);
    assert.deepEqual([counter.read(), await keptFiles(mount.seen, "counter")], [{ counter: 40 }, []]);
    mount.run(makeWritable);
    await counter.close();
    const [kept = ""] = await keptFiles(mount.seen, "counter");
    assert.equal(await readFile(join(mount.seen, kept), "utf8"), "{ torn");
    assert.equal(await counterOn(mount.seen), 40);
  });

  itOnMount("keeps what it found then for the next start", async (_, mount) => {
    await (await openStateAt(mount.seen)).close();
    await writeFile(join(mount.seen, "settings.json"), "{ torn");
    mount.run(makeReadOnly);
    const state = await openStateAt(mount.seen);
    mount.run(makeWritable);
    await state.settings.save();
    await state.disk.look();
    await state.close();
    const next = await openStateAt(mount.seen);
    const found = next.register.findings().map(({ document }) => document);
    assert.deepEqual(found, ["settings"]);
    await next.close();
  });

  itOnMount("is locked against other writers, also without a lock file", async (_, mount) => {
    mount.run(makeReadOnly);
    const lock = await takeLock(mount.seen);
    mount.run(makeWritable);
    await assert.rejects(takeLock(mount.seen), ({ code }: StewardError) => code === "state_locked");
    await lock.release();
    await (await takeLock(mount.seen)).release();
  });
});

function troubles({ checks }: State): string[] {
  return checks.filter(({ trouble }) => trouble() !== null).map(({ name }) => name);
}

async function documentsOn(mount: PrivateMount): Promise<string[]> {
  return (await readdir(mount.seen)).filter((name) => name.endsWith(".json") && !name.includes(".good."));
}

/** The agent on that disk. */
const startOn = (test: TestContext, { directory, prefix }: PrivateMount) =>
  startAgent(test, { stateDirectory: directory, prefix });

const becomesWell = (agent: RunningAgent) =>
  until("health is ok", async () => (await agent.call("GET", "/api/health")).json.status === "ok");

const body = { device: { name: "never" } };

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
    assert.match(change.json.detail, /settings\.json cannot be written \(EROFS\) and was not changed/);
    assert.ok(change.json.detail.includes(`\`mount -o remount,rw ${mount.directory}\``), change.json.detail);
    assert.deepEqual((await agent.call("GET", "/api/health")).json, { status: "degraded" });
    assert.deepEqual(await fingerprints(mount.seen), files);

    mount.run(makeWritable);
    assert.equal((await agent.call("PUT", "/api/system", { token, body })).status, 200);
    await becomesWell(agent);
    const words = await readFile(join(mount.seen, "sessions.json"), "utf8");
    assert.match(words, new RegExp(session.json.session.id));
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

const time = standingTime();
const ownPassword = "quiet otters borrow umbrellas";

describe("an administrator whose phone is lost while the disk takes no write", () => {
  itOnMount("is let in by root, and on the disk when that is mended", async (test, mount) => {
    const first = await begun(test, { stateDirectory: mount.seen, time });
    const { id, token } = await first.signedInAdmin();
    await enrol(first.call, { id, token, password: adminPassword }, time.nowSeconds());
    mount.run(makeReadOnly);
    const files = await fingerprints(mount.seen);

    assert.deepEqual(await refusals(first, id, token), Array(5).fill([507, "storage_unwritable"]));
    const once = await rescue(first);
    assert.deepEqual(await fingerprints(mount.seen), files);
    await chooseOwn(first, id, once);
    // Ordinary changes are refused as before, also to this user.
    assert.deepEqual(await refusals(first, id), Array(4).fill([507, "storage_unwritable"]));
    assert.deepEqual(await fingerprints(mount.seen), files);
    await first.stop();

    const offline = await runSteward(["user", "rescue", adminName, "--yes"], {
      environment: { STEWARD_STATE: mount.seen, STEWARD_SOCKET: first.socket },
    });
    assert.deepEqual([offline.code, offline.stdout], [1, ""], offline.stderr);
    assert.match(offline.stderr, /users\.json cannot be written \(EROFS\) and was not changed/);
    assert.deepEqual(await fingerprints(mount.seen), files);

    const second = await begun(test, { stateDirectory: mount.seen, time });
    // It was only in memory: the phone is asked for again.
    assert.equal((await second.call("POST", "/api/auth/login", login)).json.code, "totp_required");
    const body = { username: adminName, password: await rescue(second) };
    mount.run(makeWritable);
    const isWritten = async () => {
      time.pass(1);
      return (await administrator(mount.seen)).two_factor === null;
    };
    await until("the rescue is on the disk", isWritten);
    await second.stop();
    const third = await begun(test, { stateDirectory: mount.seen, time });
    const session = await third.call("POST", "/api/auth/login", { body });
    assert.deepEqual([session.status, session.json.user.must_change_password], [200, true], session.text);
  });
});

/** Returns the answers to changes of the user's account, factor and password, to a new user, and to a rescue. */
async function refusals(agent: RunningAgent, id: string, token?: string) {
  const user = `/api/users/${id}`;
  const by = token === undefined ? { local: true } : { token };
  const answers = [
    await agent.call("POST", `${user}/2fa/recover`, { local: true, body: { reason: "lost" } }),
    await agent.call("PUT", user, { ...by, body: { display_name: "never" } }),
    await agent.call("POST", `${user}/password-reset`, { ...by, body: { password: "seven quiet owls" } }),
    await agent.call("POST", "/api/users", { ...by, body: { username: "never", role: "readonly" } }),
    ...(token === undefined ? [] : [await agent.call("POST", `${user}/rescue`, { token })]),
  ];
  return answers.map(({ status, json }) => [status, json.code]);
}

/** By the command line over the socket. The one-use password. */
async function rescue({ socket }: RunningAgent): Promise<string> {
  const done = await runSteward(["user", "rescue", adminName, "--yes", "--socket", socket]);
  assert.equal(done.code, 0, done.stderr);
  assert.match(done.stderr, /disk cannot be written.*only in memory.*until the agent ends/);
  return done.stdout.trim();
}

/** Signs in with only the one-use password, and does what a device that asks for two factors wants. */
async function chooseOwn({ call }: RunningAgent, id: string, once: string): Promise<void> {
  const session = await call("POST", "/api/auth/login", { body: { username: adminName, password: once } });
  assert.equal(session.status, 200, session.text);
  const token = session.json.access_token;
  const body = { current_password: once, new_password: ownPassword };
  const changed = await call("PUT", "/api/auth/password", { token, body });
  assert.equal(changed.status, 204, changed.text);
  await enrol(call, { id, token, password: ownPassword }, time.nowSeconds());
  assert.equal((await call("GET", "/api/logs", { token })).status, 200);
}

async function administrator(directory: string): Promise<{ two_factor: object | null }> {
  const { accounts } = (await onDisk(directory, "users.json")) as {
    accounts: { two_factor: object | null }[];
  };
  return accounts[0] ?? assert.fail("there is no account");
}
