import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { runSteward } from "../../../lab/agents/agent-in-process.ts";
import { startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { hashOf } from "../../device/configuration/virtual-device.ts";

/** Documentation addresses (RFC 5737): the network of the fleet's server, and another. */
const inside = "203.0.113.7";

/** It has no password, and so no guess at one can be compared with it. */
const hash = hashOf("F");

const file = {
  version: 1,
  users: [
    { name: "root-admin", role: "admin" },
    { name: "monitor", role: "readonly", password_hash: hash, display_name: "The monitor" },
  ],
  tokens: [{ token_hash: "ab".repeat(32), name: "scraper", user: "monitor", scopes: ["metrics:read"] }],
  settings: { device: { name: "edge-7", contact: "lena@example.org" } },
};

describe("the drift of a device, for a fleet token that only reads", () => {
  const agent = ofSuite(startCheckedAgent);
  let token: string;
  let environment: Record<string, string>;

  before(async () => {
    await agent.signedInAdmin();
    environment = { STEWARD_SOCKET: agent.socket, STEWARD_STATE: agent.stateDirectory };
    const words = ["token", "add", "--user", "root-admin", "--name", "drift", "--no-expiry", "--quiet"];
    const rights = ["--scope", "configuration:read", "--fleet", "--from", "203.0.113.0/24"];
    const { code, stdout, stderr } = await runSteward([...words, ...rights], { environment });
    assert.equal(code, 0, stderr);
    token = stdout.trim();
  });

  const call = (method: string, path: string, body?: object, from = inside) =>
    agent.call(method, path, { token, from, ...(body && { body }) });
  const check = async (body: object) => {
    const { status, json, text } = await call("POST", "/api/configuration/check", body);
    assert.equal(status, 200, text);
    return { ...json, text } as { differs: boolean; differences: object[]; text: string };
  };
  const digest = async () => (await call("GET", "/api/configuration/digest")).json;
  const apply = async (configuration: object) => {
    const input = JSON.stringify(configuration);
    const { code, stderr } = await runSteward(["apply", "-"], { environment, input });
    assert.equal(code, 0, stderr);
  };
  const drift = async () => driftIn((await agent.call("GET", "/api/metrics", { local: true })).text);
  const setName = (name: string) =>
    agent.call("PUT", "/api/system", { local: true, body: { device: { name } } });

  it("is not known before a file was applied", async () => {
    const { applied_at, drift: isDrifted } = await digest();
    assert.deepEqual([applied_at, isDrifted, await drift()], [null, null, undefined]);
  });

  it("names what an apply would change, without a value of the device, and changes nothing", async () => {
    await setName("what people call it");
    const [before, events] = [await digest(), await agent.read("/api/events")];
    const { differs, differences, text } = await check(file);
    assert.equal(differs, true);
    const shown = (differences as Record<string, unknown>[]).map(
      ({ subject, name, action, members }) => `${subject} ${name} ${action} ${members}`,
    );
    assert.deepEqual(shown, [
      "user monitor created role,display_name,enabled,password",
      "token monitor/scraper created user,name,scopes,sources,is_fleet",
      "settings  changed device.name,device.contact",
    ]);
    for (const part of ["what people call it", "edge-7", "lena@", "argon2", "abab"])
      assert.ok(!text.includes(part), part);
    assert.deepEqual(await digest(), before);
    assert.deepEqual((await agent.read("/api/events")).items[0], events.items[0]);
  });

  it("is none once the file is applied; the digest says so, the check, and the metric", async () => {
    await apply(file);
    const first = await digest();
    assert.equal(first.drift, false);
    assert.ok(Date.parse(first.applied_at) > 0);
    assert.deepEqual(await check(file), { differs: false, differences: [], text: (await check(file)).text });
    assert.equal(await drift(), "0");
    assert.deepEqual(await digest(), first);
  });
});

function driftIn(metrics: string): string | undefined {
  return /^steward_configuration_drift (\d)$/m.exec(metrics)?.[1];
}
