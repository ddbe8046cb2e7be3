import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { endOfSuite } from "../../../lab/basics/ending.ts";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { type Publisher, startPublisher, startUpdatingAgent, type UpdatingAgent } from "./updating-agent.ts";

describe("with verify_signature false in a settings.json that was edited by hand", () => {
  const ending = endOfSuite();
  const home = scratchDirectory();
  const stick = join(home, "stick");
  const stateDirectory = join(home, "state");
  let publisher: Publisher;
  let agent: UpdatingAgent;

  before(async () => {
    publisher = await startPublisher(ending);
    publisher.repository.addRelease({ version: "2.0.0" });
    publisher.repository.publish("rules");
    await publisher.repository.writeTo(stick);
    const first = await startUpdatingAgent({ stateDirectory });
    await first.set({ server: publisher.server.origin });
    await first.dispose();
    const file = join(stateDirectory, "settings.json");
    const parsed = JSON.parse(readFileSync(file, "utf8"));
    // Everything that makes it act without a request is switched on.
    Object.assign(parsed.update.ota, {
      ...{ verify_signature: false, enabled: true, auto_update_binary: true },
      ...{ auto_update_rules: true, check_interval: "5m" },
    });
    writeFileSync(file, JSON.stringify(parsed));
    agent = await startUpdatingAgent({ stateDirectory });
    await agent.install(publisher.repository.metadata("1.root"));
    await agent.confirm(publisher.fingerprint);
  });
  after(() => agent.dispose());

  it("updates are blocked, and the status and health say by what", async () => {
    const { state, summary } = await agent.status();
    assert.equal(state, "blocked");
    assert.equal(summary.code, "signature_verification_off");
    const { json } = await agent.call("GET", "/api/health", { local: true });
    const check = json.checks.find(({ name }: { name: string }) => name === "updates");
    assert.deepEqual([json.status, check.status], ["degraded", "degraded"]);
    assert.match(check.detail, /verify_signature/);
  });

  const paths: [what: string, body: object][] = [
    ["a check of the server", {}],
    ["a check of a directory", { repository: pathToFileURL(stick).href }],
  ];
  for (const [what, body] of paths) {
    it(`refuses ${what}: 422, also for local root`, async () => {
      const { status, json } = await agent.call("POST", "/api/updates/check", { local: true, body });
      assert.deepEqual([status, json.code], [422, "signature_verification_required"]);
    });
  }

  it("refuses the command, over the agent and with the agent down", async () => {
    for (const words of [
      ["update", "check"],
      ["update", "check", "--repo", stick],
    ]) {
      const { code, stderr } = await agent.run(...words);
      assert.equal(code, 6, stderr);
      assert.match(stderr, /verify_signature/);
    }
    await agent.stop();
    const { code, stderr } = await agent.run("update", "check", "--repo", stick);
    assert.equal(code, 6, stderr);
  });

  it("has asked no server and fetched nothing", async () => {
    assert.deepEqual(publisher.server.requests, []);
    const { stdout } = await agent.run("-o", "json", "update", "status");
    assert.deepEqual(JSON.parse(stdout).available, { rules: null, binary: null });
  });
});

describe("settings over the API", () => {
  let agent: UpdatingAgent;
  before(async () => {
    agent = await startUpdatingAgent({ hasTime: false });
  });
  after(() => agent.dispose());

  it("never switch signatures off, for any caller: 422", async () => {
    const { token } = await agent.signedInAdmin();
    const body = { update: { ota: { verify_signature: false } } };
    for (const who of [{ local: true }, { token }]) {
      const { status, json } = await agent.call("PUT", "/api/system", { ...who, body });
      assert.deepEqual([status, json.code], [422, "signature_verification_required"]);
    }
  });
});
