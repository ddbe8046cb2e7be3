import assert from "node:assert/strict";
import { describe, type TestContext } from "node:test";
import { runSteward, startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import { enrol } from "../../lab/agents/enrol.ts";
import { adminName, adminPassword, type RunningAgent } from "../../lab/agents/running-agent.ts";
import { until } from "../../lab/basics/until.ts";
import { standingTime } from "../../lab/simulated/test-time.ts";
import { login } from "../../lab/state/damaged-state.ts";
import { makeReadOnly, makeWritable } from "../../lab/state/private-mount.ts";
import { fingerprints, onDisk } from "../../lab/state/state-directory.ts";
import { itOnMount } from "./fixture.ts";

const time = standingTime();
const ownPassword = "quiet otters borrow umbrellas";

describe("an administrator whose phone is lost while the disk takes no write", () => {
  itOnMount("is let in by root, and on the disk when that is mended", async (test, mount) => {
    const first = await startOn(test, mount.seen);
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

    const second = await startOn(test, mount.seen);
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
    const third = await startOn(test, mount.seen);
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
  assert.match(done.stderr, /disk takes no write.*only in memory.*until the agent ends/);
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

async function startOn(test: TestContext, stateDirectory: string): Promise<RunningAgent> {
  const agent = await startAgentInProcess({ stateDirectory, time });
  test.after(() => agent.dispose());
  return agent;
}
