import assert from "node:assert/strict";
import { cp, mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { before, describe, it, type TestContext } from "node:test";
import { startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import { enrol } from "../../lab/agents/enrol.ts";
import { adminName, adminPassword, type RunningAgent } from "../../lab/agents/running-agent.ts";
import { codeOf } from "../../lab/basics/authenticator.ts";
import { atEnd, type Ending, endOfSuite, temporaryDirectory } from "../../lab/basics/ending.ts";
import { standingTime } from "../../lab/simulated/test-time.ts";
import { keptFiles, onDisk } from "../../lab/state/state-directory.ts";
import { documentNames } from "../../src/contract/document-names.ts";
import type { Document } from "../../src/store/documents/document.ts";
import { asNextRelease, majorKinds, minorKinds, moodsOf, withMood } from "./next-release.ts";

/** A device has these, and they must outlive a release that is undone. */
interface Device {
  directory: string;
  secret: string;
  apiToken: string;
  refreshToken: string;
}

const file = endOfSuite();
const time = standingTime();
let device: Device;
before(async () => {
  device = await livedInDevice();
});

/** An administrator with a second factor and an API token, settings that were changed, a time floor. */
async function livedInDevice(): Promise<Device> {
  const directory = join(await temporaryDirectory(file), "state");
  await mkdir(directory, { mode: 0o700 });
  const agent = await startAgent(file, directory);
  const { id, token } = await agent.signedInAdmin();
  // With the code before the present one, so that there are two more to sign in with.
  const { secret } = await enrol(agent.call, { id, token, password: adminPassword }, time.nowSeconds() - 30);
  const wanted = { name: "fleet", scopes: ["system:read"] };
  const { json } = await agent.call("POST", "/api/tokens", { token, body: wanted });
  await agent.call("PUT", "/api/system", { token, body: { device: { name: "pump 7" } } });
  const refreshed = await signIn(agent, secret, 0);
  await agent.stop();
  await rm(join(directory, ".reserve"), { force: true });
  return { directory, secret, apiToken: json.token, refreshToken: refreshed };
}

async function startAgent(ending: Ending, stateDirectory: string): Promise<RunningAgent> {
  const agent = await startAgentInProcess({ stateDirectory, time });
  atEnd(ending, () => agent.dispose());
  return agent;
}

async function signIn({ call }: RunningAgent, secret: string, steps: number): Promise<string> {
  const body = {
    username: adminName,
    password: adminPassword,
    code: codeOf(secret, time.nowSeconds() + steps * 30),
  };
  const { status, json, text } = await call("POST", "/api/auth/login", { body });
  assert.equal(status, 200, text);
  return json.refresh_token;
}

async function copyOfDevice(test: TestContext): Promise<string> {
  const copy = join(await temporaryDirectory(test), "state");
  await cp(device.directory, copy, { recursive: true });
  return copy;
}

/** Nothing is lost: who signs in, which tokens are good, the settings, the earliest possible time. */
async function assertNothingLost(agent: RunningAgent, token: string): Promise<void> {
  const fleet = await agent.call("GET", "/api/system", { token: device.apiToken });
  assert.deepEqual([fleet.status, fleet.json.device?.name], [200, "pump 7"], fleet.text);
  const body = { refresh_token: token };
  const refreshed = await agent.call("POST", "/api/auth/refresh", { body });
  assert.equal(refreshed.status, 200, refreshed.text);
}

describe("a release that adds members to all documents and is undone", () => {
  it("loses nothing, here and when it comes again", async (test) => {
    const directory = await copyOfDevice(test);
    const change = async (open: readonly Document<Record<string, unknown>>[]) => {
      for (const document of open) await document.update((members) => withMood(members, "changed"));
    };
    assert.deepEqual(await asNextRelease(directory, minorKinds(), change), []);
    const agent = await startAgent(test, directory);
    assert.equal((await agent.call("GET", "/api/health", { local: true })).json.status, "ok");
    await assertNothingLost(agent, device.refreshToken);
    await signIn(agent, device.secret, 1);
    const shown = await agent.call("GET", "/api/system", { local: true });
    assert.equal(shown.json.mood, undefined);
    const headers = { "If-Match": String(shown.headers.etag) };
    const contact = { device: { contact: "ana" } };
    const put = await agent.call("PUT", "/api/system", { local: true, body: contact, headers });
    assert.deepEqual([put.status, put.json.mood], [200, undefined], put.text);
    await agent.call("POST", "/api/users", { local: true, body: { username: "ben", role: "readonly" } });
    await agent.stop();
    const again = async (open: readonly Document<Record<string, unknown>>[]) => {
      for (const document of open) {
        const [whole, ...records] = moodsOf(document.read());
        assert.equal(whole, "changed", document.name);
        // Ben and the session that was begun: made by a release that does not know the member.
        const made = ["users", "sessions"].includes(document.name) ? ["begun"] : [];
        const known = records.slice(0, records.length - made.length);
        assert.deepEqual([...new Set(known)], known.length > 0 ? ["changed"] : [], document.name);
        assert.deepEqual(records.slice(known.length), made, document.name);
      }
      const settings = open.find(({ name }) => name === "settings")?.read() as { device: object };
      assert.deepEqual(settings.device, { name: "pump 7", location: "", contact: "ana", not_needed: [] });
    };
    assert.deepEqual(await asNextRelease(directory, minorKinds(), again), []);
  });
});

describe("a release that has all documents in another form and is undone", () => {
  it("leaves the bytes of the form before, which are taken and told of, and nothing is lost", async (test) => {
    const directory = await copyOfDevice(test);
    const before = await Promise.all(documentNames.map((name) => readFile(join(directory, `${name}.json`))));
    assert.deepEqual(await asNextRelease(directory, majorKinds()), []);
    for (const [index, name] of documentNames.entries()) {
      const { version } = JSON.parse(String(before[index])).__internal__.migrations;
      const kept = await readFile(join(directory, `${name}.format-${version}.json`));
      assert.deepEqual(kept, before[index], name);
    }
    const agent = await startAgent(test, directory);
    await assertNothingLost(agent, device.refreshToken);
    await signIn(agent, device.secret, 1);
    const { json } = await agent.call("GET", "/api/health", { local: true });
    const trouble = (json.checks as { name: string; detail: string }[]).filter(({ detail }) => detail !== "");
    assert.deepEqual(trouble.map(({ name }) => name).sort(), [...documentNames].sort());
    for (const { name, detail } of trouble) {
      assert.match(detail, /format 9\.0\.0, known here: [12]\.\d\.0/);
      assert.match(detail, /the newer release had changed nothing/);
      assert.match(detail, new RegExp(`steward state accept ${name}`));
    }
    await agent.stop();
    for (const name of documentNames) assert.equal((await keptFiles(directory, name)).length, 1, name);
    assert.deepEqual(await asNextRelease(directory, majorKinds()), []);
    assert.equal(((await onDisk(directory, "settings.json")).inside as { mood?: string }).mood, undefined);
  });
});
