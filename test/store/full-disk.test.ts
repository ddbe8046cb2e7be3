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

interface Setting {
  readonly agent: RunningAgent;
  readonly mount: PrivateMount;
  readonly token: string;
}

const reserveOf = (mount: PrivateMount) =>
  stat(join(mount.seen, ".reserve")).then(
    ({ size }) => size,
    () => null,
  );
const untilHeldBack = (mount: PrivateMount) =>
  until("the space is held back", async () => (await reserveOf(mount)) === reserveBytes);
const empty = (mount: PrivateMount) => rm(join(mount.seen, ".filler"));
const rename = ({ agent, token }: Setting, name: string) =>
  agent.call("PUT", "/api/system", { token, body: { device: { name } } });

/** The agent on a disk of which three times the reserve is free. Undefined where mounting is not permitted. */
async function agentOnSmallDisk(test: TestContext): Promise<Setting | undefined> {
  const mount = await mountOrSkip(test, 48);
  if (!mount) return undefined;
  const agent = await startAgent(test, { stateDirectory: mount.directory, prefix: mount.prefix });
  const { token } = await agent.signedInAdmin();
  await untilHeldBack(mount);
  return { agent, mount, token };
}

/** Filled, the reserve given up, and filled again. */
async function agentOnFullDisk(test: TestContext): Promise<Setting | undefined> {
  const setting = await agentOnSmallDisk(test);
  if (!setting) return undefined;
  await fill(setting.mount);
  assert.equal((await rename(setting, "before")).status, 200);
  // The good copies come two seconds after the last change; they are to find no space.
  await fill(setting.mount);
  return setting;
}

describe("an agent on a disk that fills up", () => {
  it("gives up its reserve first, so that changes still succeed, and takes it back later", async (test) => {
    const setting = await agentOnSmallDisk(test);
    if (!setting) return;
    const { agent, mount, token } = setting;
    await fill(mount);
    assert.equal((await rename(setting, "first")).status, 200);
    assert.equal(await reserveOf(mount), null);
    const { checks } = (await agent.call("GET", "/api/health", { token })).json;
    assert.match(JSON.stringify(checks), /"disk","status":"degraded","code":"disk_reserve_missing"/);
    assert.match(await readFile(join(mount.seen, "settings.json"), "utf8"), /"first"/);
    await empty(mount);
    assert.equal((await rename(setting, "second")).status, 200);
    await untilHeldBack(mount);
  });

  it("goes on with sign-in, refresh and logout", async (test) => {
    const setting = await agentOnFullDisk(test);
    if (!setting) return;
    const { agent, mount } = setting;
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
    // And starts although there is no byte left, and writes at SIGTERM what has space by then.
    await agent.stop();
    await fill(mount);
    const next = await startAgent(test, { stateDirectory: mount.directory, prefix: mount.prefix });
    const { status, json } = await next.call("POST", "/api/auth/login", login);
    assert.equal(status, 200);
    await empty(mount);
    assert.equal(await next.stop(), 0);
    assert.ok((await readFile(join(mount.seen, "sessions.json"), "utf8")).includes(json.session.id));
  });

  it("refuses changes with storage_full, recovers with space, and keeps the sessions made meanwhile", async (test) => {
    const setting = await agentOnFullDisk(test);
    if (!setting) return;
    const { agent, mount, token } = setting;
    const before = (await agent.call("GET", "/api/system", { token })).text;
    const session = await agent.call("POST", "/api/auth/login", login);
    const user = { username: "new-user", role: "readonly", password: "seven green bottles hang" };
    for (const [method, path, body] of [
      ["PUT", "/api/system", { device: { name: "too late" } }],
      ["POST", "/api/users", user],
    ] as const) {
      const { status, json } = await agent.call(method, path, { token, body });
      assert.deepEqual([path, status, json.code], [path, 507, "storage_full"]);
      assert.match(json.detail, /disk is full.*not changed/);
    }
    assert.equal((await agent.call("GET", "/api/system", { token })).text, before);
    const { items } = (await agent.call("GET", "/api/users", { token })).json;
    assert.deepEqual(
      items.map(({ username }: { username: string }) => username),
      [adminName],
    );
    // The session's write comes two seconds later, and fails like that of the settings.
    await until("both are named by health", async () => {
      const { checks } = (await agent.call("GET", "/api/health", { local: true })).json;
      return ["settings", "sessions"].every((name) =>
        JSON.stringify(checks).includes(`"${name}","status":"degraded","code":"document_waiting"`),
      );
    });
    await empty(mount);
    // Settings wait for the accounts, whose write is tried again within seconds.
    await until("changes are taken", async () => (await rename(setting, "in time")).status === 200);
    const isWell = async () => (await agent.call("GET", "/api/health")).json.status === "ok";
    await until("health is ok after the space came", isWell);
    await untilHeldBack(mount);
    assert.deepEqual(await leftovers(mount.seen), []);
    assert.equal(await agent.stop(), 0);
    const next = await startAgent(test, { stateDirectory: mount.directory, prefix: mount.prefix });
    const body = { refresh_token: session.json.refresh_token };
    assert.equal((await next.call("POST", "/api/auth/refresh", { body })).status, 200);
  });
});
