import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { until } from "../../../lab/basics/until.ts";
import { SignedRepository } from "../../../lab/publisher/signed-repository.ts";
import { placeholderKey } from "../../../lab/publisher/signing-key.ts";
import { startUpdatingAgent, type UpdatingAgent } from "./updating-agent.ts";

const server = "https://updates.example.net";

describe("a root of trust that names a placeholder for a key", () => {
  const lab = new SignedRepository();
  const good = lab.metadata("1.root");
  lab.keys.timestamp?.push(placeholderKey("00".repeat(32)));
  lab.publishRoot();
  const bad = lab.metadata("2.root");
  let agent: UpdatingAgent;

  before(async () => {
    agent = await startUpdatingAgent();
  });
  after(() => agent.dispose());

  it("is not installed by the command, which says why", async () => {
    const path = join(agent.etc, "..", "placeholder.json");
    writeFileSync(path, bad);
    const { code, stderr } = await agent.run("update", "trust", "install", path);
    assert.equal(code, 5, stderr);
    assert.match(stderr, /is all zero: a placeholder/);
  });

  describe("put there by hand", () => {
    before(async () => {
      // A value that is there already is no switch: clients write back all that they have read.
      await agent.set({ auto_update_rules: false });
      writeFileSync(join(agent.etc, "update-root.json"), bad, { mode: 0o644 });
    });

    it("keeps updates from being switched on: 409, and nothing is changed", async () => {
      const { json: present } = await agent.call("GET", "/api/system", { local: true });
      const body = { update: { ota: { enabled: true, server } } };
      const { status, json } = await agent.call("PUT", "/api/system", { local: true, body });
      assert.deepEqual([status, json.code], [409, "update_root_unusable"]);
      assert.match(json.detail, /is all zero: a placeholder/);
      assert.deepEqual((await agent.call("GET", "/api/system", { local: true })).json, present);
    });

    it("lets settings of something else be written", async () => {
      const body = { device: { name: "pump 7" }, update: { ota: { enabled: false } } };
      assert.equal((await agent.call("PUT", "/api/system", { local: true, body })).status, 200);
    });

    it("refuses a check, and says so in the status", async () => {
      const body = { repository: "file:///nowhere" };
      const { status, json } = await agent.call("POST", "/api/updates/check", { local: true, body });
      assert.deepEqual([status, json.code], [409, "update_root_unusable"]);
      await until("the status says so", async () => /all zero/.test((await agent.status()).summary.detail));
      assert.equal((await agent.status()).state, "blocked");
    });

    it("is forgotten when a good one takes its place", async () => {
      writeFileSync(join(agent.etc, "update-root.json"), good, { mode: 0o644 });
      const body = { update: { ota: { server } } };
      const { status, json } = await agent.call("PUT", "/api/system", { local: true, body });
      assert.equal(status, 200, json.detail);
    });
  });
});
