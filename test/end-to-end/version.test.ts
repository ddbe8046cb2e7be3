import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, describe, it } from "node:test";
import { startCheckedAgent } from "../../lab/agents/checked-agent.ts";
import { ofSuite } from "../../lab/basics/ending.ts";
import { passingTime } from "../../lab/simulated/test-time.ts";

const packageVersion = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
).version;

const detailed =
  "arch boot_id build_date commit device_id kernel node os rules_version support_until uptime_seconds".split(
    " ",
  );

describe("what the agent says of itself", () => {
  let token: string;
  const time = passingTime();
  const agent = ofSuite(() => startCheckedAgent({ time }));
  before(async () => {
    await agent.signedInAdmin();
    token = (await agent.signedIn("rita", "readonly")).token;
  });

  it("version tells a stranger name and version, and nothing of host and build", async () => {
    const { json } = await agent.call("GET", "/api/version");
    assert.deepEqual(json, { name: "steward", version: packageVersion, api_version: "1" });
  });

  it("version tells users who are signed in what runs where", async () => {
    const begun = time.uptime();
    const { json } = await agent.call("GET", "/api/version", { token });
    assert.deepEqual(Object.keys(json).sort(), [...detailed, "name", "version", "api_version"].sort());
    assert.equal(json.node, process.version);
    assert.equal(json.boot_id, readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim());
    assert.equal(json.kernel, readFileSync("/proc/sys/kernel/osrelease", "utf8").trim());
    const later = time.uptime();
    assert.ok(json.uptime_seconds >= begun && json.uptime_seconds <= later, `${json.uptime_seconds} s`);
    assert.match(json.commit ?? "0".repeat(40), /^[0-9a-f]{40}$/);
  });

  it("greets the console of a stranger with public facts only", async () => {
    const settings = { device: { name: "edge 7" }, console: { banner: "Mind the pump", language: "de" } };
    await agent.call("PUT", "/api/system", { local: true, body: settings });
    const { status, json } = await agent.call("GET", "/api/console");
    const { server_time, ...greeting } = json;
    assert.equal(status, 200);
    assert.deepEqual(greeting, {
      ...{ device_name: "edge 7", banner: "Mind the pump", accent: "blue", language: "de" },
      version: packageVersion,
      ...{ setup_required: false, rescue: false, synchronised: false, maker: null, provider: null },
    });
    assert.ok(Math.abs(Date.parse(server_time) - Date.now()) < 5_000, server_time);
  });

  describe("facts", () => {
    it("are about this host", async () => {
      const { json } = await agent.call("GET", "/api/system/facts", { token });
      const memory = Number(/^MemTotal:\s+(\d+) kB/m.exec(readFileSync("/proc/meminfo", "utf8"))?.[1]);
      assert.equal(json.memory.total_bytes, memory * 1024);
      assert.ok(json.cpu.cores >= 1, "json.cpu.cores >= 1");
      assert.ok(json.disks.length >= 1, "json.disks.length >= 1");
    });
  });
});
