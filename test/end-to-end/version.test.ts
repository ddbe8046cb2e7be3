import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { startCheckedAgent } from "../../lab/agents/checked-agent.ts";
import { ofSuite } from "../../lab/basics/ending.ts";
import { passingTime } from "../../lab/simulated/test-time.ts";

const fileAt = (path: string | URL) => readFileSync(path, "utf8").trim();
const { version } = JSON.parse(fileAt(new URL("../../package.json", import.meta.url)));

describe("what the agent says of itself", () => {
  const time = passingTime();
  const agent = ofSuite(() => startCheckedAgent({ time }));
  ofSuite(() => agent.signedInAdmin());
  const reader = ofSuite(() => agent.signedIn("rita", "readonly"));

  it("version tells a stranger name and version, and nothing of host and build", async () => {
    const { json } = await agent.call("GET", "/api/version");
    assert.deepEqual(json, { name: "steward", version, api_version: "1" });
  });

  it("version tells users who are signed in what runs where", async () => {
    const begun = time.uptime();
    const { json } = await agent.call("GET", "/api/version", reader);
    const members =
      "api_version arch boot_id build_date commit device_id kernel name node os rules_version support_until uptime_seconds version";
    assert.equal(Object.keys(json).sort().join(" "), members);
    assert.equal(json.node, process.version);
    assert.equal(json.boot_id, fileAt("/proc/sys/kernel/random/boot_id"));
    assert.equal(json.kernel, fileAt("/proc/sys/kernel/osrelease"));
    assert.ok(json.uptime_seconds >= begun && json.uptime_seconds <= time.uptime(), json.uptime_seconds);
    assert.match(json.commit ?? "0".repeat(40), /^[0-9a-f]{40}$/);
  });

  it("greets the console of a stranger with public facts only", async () => {
    const settings = { device: { name: "edge 7" }, console: { banner: "Mind the pump", language: "de" } };
    await agent.call("PUT", "/api/system", { local: true, body: settings });
    const { server_time, floor_at, ...greeting } = (await agent.call("GET", "/api/console")).json;
    assert.deepEqual(greeting, {
      ...{ device_name: "edge 7", banner: "Mind the pump", accent: "blue", language: "de", version },
      ...{ setup_required: false, rescue: false, synchronised: false, maker: null, provider: null },
    });
    assert.ok(Math.abs(Date.parse(server_time) - Date.now()) < 5_000, server_time);
    assert.ok(Date.parse(floor_at) <= Date.now(), floor_at);
  });
});
