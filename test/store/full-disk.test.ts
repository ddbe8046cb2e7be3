import assert from "node:assert/strict";
import { readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { adminName, type RunningAgent } from "../../lab/agents/running-agent.ts";
import { until } from "../../lab/basics/until.ts";
import { login } from "../../lab/state/damaged-state.ts";
import { fill, mountOrSkip, type PrivateMount } from "../../lab/state/private-mount.ts";
import { leftovers, startAgent } from "../../lab/state/state-directory.ts";
import { reserveBytes } from "../../src/store/files/reserve.ts";

/** The reserve is only made where three times its size is free. */
const diskMebibytes = 48;

describe("an agent on a disk that fills up", () => {
  it("gives up its reserve first, so that changes still succeed, and takes it back later", async (test) => {
    const setting = await agentOnSmallDisk(test);
    if (!setting) return;
    const { agent, mount, token } = setting;
    await fill(mount);
    const change = await agent.call("PUT", "/api/system", { token, body: { device: { name: "first" } } });
    assert.equal(change.status, 200);
    assert.equal(await sizeOf(mount, ".reserve"), null);
    const { checks } = (await agent.call("GET", "/api/health", { token })).json;
    assert.match(JSON.stringify(checks), /"disk","status":"degraded","code":"disk_reserve_missing"/);
    assert.match(await readFile(join(mount.seen, "settings.json"), "utf8"), /"first"/);

    await empty(mount);
    const next = await agent.call("PUT", "/api/system", { token, body: { device: { name: "second" } } });
    assert.equal(next.status, 200);
    await until("the space is held back", async () => (await sizeOf(mount, ".reserve")) === reserveBytes);
  });

  it("then refuses changes with storage_full and changes nothing", async (test) => {
    const setting = await agentOnFullDisk(test);
    if (!setting) return;
    const { agent, token } = setting;
    const settingsBefore = (await agent.call("GET", "/api/system", { token })).text;
    const body = { username: "new-user", role: "readonly", password: "seven green bottles hang" };
    for (const [method, path, what] of [
      ["PUT", "/api/system", { device: { name: "too late" } }],
      ["POST", "/api/users", body],
    ] as const) {
      const { status, json } = await agent.call(method, path, { token, body: what });
      assert.deepEqual([path, status, json.code], [path, 507, "storage_full"]);
      assert.match(json.detail, /disk is full.*not changed/);
    }
    assert.equal((await agent.call("GET", "/api/system", { token })).text, settingsBefore);
    const users = (await agent.call("GET", "/api/users", { token })).json.items as { username: string }[];
    const found = users.map(({ username }) => username);
    assert.deepEqual(found, [adminName]);
    const health = (await agent.call("GET", "/api/health", { token })).json;
    assert.equal(health.status, "degraded");
    assert.match(JSON.stringify(health.checks), /"settings","status":"degraded","code":"document_waiting"/);
  });

  it("goes on with sign-in, refresh and logout", async (test) => {
    const setting = await agentOnFullDisk(test);
    if (!setting) return;
    const { agent } = setting;
    const session = await agent.call("POST", "/api/auth/login", login);
    assert.equal(session.status, 200);
    const body = { refresh_token: session.json.refresh_token };
    const refreshed = await agent.call("POST", "/api/auth/refresh", { body });
    assert.equal(refreshed.status, 200);
    const token = refreshed.json.access_token;
    assert.equal((await agent.call("GET", "/api/auth/me", { token })).status, 200);
    const last = { refresh_token: refreshed.json.refresh_token };
    assert.equal((await agent.call("POST", "/api/auth/logout", { body: last })).status, 204);
    assert.equal((await agent.call("GET", "/api/auth/me", { token })).status, 401);
    assert.equal((await agent.call("POST", "/api/auth/refresh", { body: last })).status, 401);
  });

  it("starts and signs people in although there is no byte left", async (test) => {
    const setting = await agentOnFullDisk(test);
    if (!setting) return;
    const { agent, mount } = setting;
    await agent.stop();
    await fill(mount);
    const next = await startAgent(test, { stateDirectory: mount.directory, prefix: mount.prefix });
    assert.equal((await next.call("POST", "/api/auth/login", login)).status, 200);
  });

  it("recovers when there is space again, and keeps the sessions made meanwhile", async (test) => {
    const setting = await agentOnFullDisk(test);
    if (!setting) return;
    const { agent, mount, token } = setting;
    const session = await agent.call("POST", "/api/auth/login", login);
    const refused = await agent.call("PUT", "/api/system", { token, body: { device: { name: "too late" } } });
    assert.equal(refused.status, 507);
    const troubled = async () => {
      const { checks } = (await agent.call("GET", "/api/health", { local: true })).json;
      const names = ["settings", "sessions"];
      const isMeant = (check: { name: string; status: string }) =>
        names.includes(check.name) && check.status !== "ok";
      return checks.filter(isMeant).length;
    };
    // The session's write comes two seconds later, and fails like that of the settings.
    await until("both are told of", async () => (await troubled()) === 2);
    await empty(mount);
    const change = await agent.call("PUT", "/api/system", { token, body: { device: { name: "in time" } } });
    assert.equal(change.status, 200);
    const isWell = async () => (await agent.call("GET", "/api/health")).json.status === "ok";
    await until("health is ok after the space came", isWell);
    await until("the space is held back", async () => (await sizeOf(mount, ".reserve")) === reserveBytes);
    assert.deepEqual(await leftovers(mount.seen), []);

    assert.equal(await agent.stop(), 0);
    assert.equal(
      (await readFile(join(mount.seen, "sessions.json"), "utf8")).includes(session.json.session.id),
      true,
    );
    const next = await startAgent(test, { stateDirectory: mount.directory, prefix: mount.prefix });
    const body = { refresh_token: session.json.refresh_token };
    assert.equal((await next.call("POST", "/api/auth/refresh", { body })).status, 200);
  });

  it("writes the sessions of a full disk at SIGTERM when there is space by then", async (test) => {
    const setting = await agentOnFullDisk(test);
    if (!setting) return;
    const { agent, mount } = setting;
    const session = await agent.call("POST", "/api/auth/login", login);
    await empty(mount);
    assert.equal(await agent.stop(), 0);
    assert.equal(
      (await readFile(join(mount.seen, "sessions.json"), "utf8")).includes(session.json.session.id),
      true,
    );
  });
});

interface Setting {
  agent: RunningAgent;
  mount: PrivateMount;
  token: string;
}

/** Undefined where mounting is not permitted: then the test is skipped, saying why. */
async function agentOnSmallDisk(test: TestContext): Promise<Setting | undefined> {
  const mount = await mountOrSkip(test, diskMebibytes);
  if (!mount) return undefined;
  const agent = await startAgent(test, { stateDirectory: mount.directory, prefix: mount.prefix });
  const { token } = await agent.signedInAdmin();
  await until("the space is held back", async () => (await sizeOf(mount, ".reserve")) === reserveBytes);
  return { agent, mount, token };
}

/** Filled, the reserve given up, and filled again. */
async function agentOnFullDisk(test: TestContext): Promise<Setting | undefined> {
  const setting = await agentOnSmallDisk(test);
  if (!setting) return undefined;
  const { agent, mount, token } = setting;
  await fill(mount);
  const change = await agent.call("PUT", "/api/system", { token, body: { device: { name: "before" } } });
  assert.equal(change.status, 200);
  // The good copies come two seconds after the last change; they are to find no space.
  await fill(mount);
  return setting;
}

async function empty(mount: PrivateMount): Promise<void> {
  await rm(join(mount.seen, ".filler"));
}

async function sizeOf(mount: PrivateMount, name: string): Promise<number | null> {
  return stat(join(mount.seen, name)).then(
    ({ size }) => size,
    () => null,
  );
}
