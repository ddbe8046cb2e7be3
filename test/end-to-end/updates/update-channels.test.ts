import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { startUpdatingAgent, type UpdatingAgent } from "./updating-agent.ts";

/** A host file that lets releases come from two channels. */
const host = { update: { allow_local_servers: true, channels: ["stable", "beta"] } };
const channel = (name: string) => ({ update: { ota: { channel: name } } });

describe("the channel of updates, where the host file names those that are allowed", () => {
  let agent: UpdatingAgent;
  before(async () => {
    agent = await startUpdatingAgent({ hasTime: false, host });
  });
  after(() => agent.dispose());
  const read = async () => (await agent.call("GET", "/api/system", { local: true })).json;

  it("cannot be set to another one by any caller: 409", async () => {
    const { token } = await agent.signedInAdmin();
    const before = await read();
    for (const who of [{ local: true }, { token }]) {
      const body = { ...channel("nightly"), device: { name: "edge 9" } };
      const { status, json } = await agent.call("PUT", "/api/system", { ...who, body });
      assert.deepEqual([status, json.code], [409, "pinned_by_host"]);
      assert.equal(json.errors[0].pointer, "/update/ota/channel");
      assert.match(json.detail, /host file allows: stable, beta\. Nothing was changed/);
    }
    assert.deepEqual(await read(), before);
  });

  it("can be set to one of them", async () => {
    const { status, json } = await agent.call("PUT", "/api/system", { local: true, body: channel("beta") });
    assert.deepEqual([status, json.update.ota.channel], [200, "beta"]);
  });
});

describe("a channel in a settings.json that was edited by hand, which the host file does not allow", () => {
  const home = scratchDirectory();
  const stateDirectory = join(home, "state");
  let agent: UpdatingAgent;
  before(async () => {
    const first = await startUpdatingAgent({ hasTime: false, stateDirectory });
    await first.set({ channel: "nightly" });
    await first.dispose();
    const file = join(stateDirectory, "settings.json");
    assert.equal(JSON.parse(readFileSync(file, "utf8")).update.ota.channel, "nightly");
    agent = await startUpdatingAgent({ hasTime: false, stateDirectory, host });
  });
  after(() => agent.dispose());

  it("blocks updates, and the status and health say by what", async () => {
    const { state, summary } = await agent.status();
    assert.equal(state, "blocked");
    assert.equal(summary.code, "channel_not_allowed");
    const { json } = await agent.call("GET", "/api/health", { local: true });
    const check = json.checks.find(({ name }: { name: string }) => name === "updates");
    assert.equal(check.status, "degraded");
    assert.match(check.detail, / channel nightly \(update\.ota\.channel\)/);
  });

  it("refuses a check of the server and of a directory: 409", async () => {
    const stick = join(home, "stick");
    writeFileSync(stick, "");
    for (const body of [{}, { repository: `file://${stick}` }]) {
      const { status, json } = await agent.call("POST", "/api/updates/check", { local: true, body });
      assert.deepEqual([status, json.code], [409, "pinned_by_host"]);
    }
  });

  it("does not stop other changes", async () => {
    const body = { device: { name: "edge 9" } };
    assert.equal((await agent.call("PUT", "/api/system", { local: true, body })).status, 200);
  });

  it("is mended by setting an allowed one", async () => {
    await agent.set({ channel: "stable" });
    assert.notEqual((await agent.status()).state, "blocked");
  });
});
