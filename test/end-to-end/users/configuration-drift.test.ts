import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { runSteward } from "../../../lab/agents/agent-in-process.ts";
import { startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { hashOf } from "../../device/configuration/virtual-device.ts";

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
  const steward = async (words: string, input = "") => {
    const environment = { STEWARD_SOCKET: agent.socket, STEWARD_STATE: agent.stateDirectory };
    const { code, stdout, stderr } = await runSteward(words.split(" "), { environment, input });
    assert.equal(code, 0, stderr);
    return stdout.trim();
  };
  before(async () => {
    await agent.signedInAdmin();
    const rights = "--scope configuration:read --fleet --from 203.0.113.0/24";
    token = await steward(`token add --user root-admin --name drift --no-expiry --quiet ${rights}`);
    const body = { device: { name: "what people call it" } };
    await agent.call("PUT", "/api/system", { local: true, body });
  });

  const call = async (method: string, path: string, body?: object) => {
    const sent = { token, from: "203.0.113.7", ...(body && { body }) };
    const { status, json, text } = await agent.call(method, `/api/configuration/${path}`, sent);
    assert.equal(status, 200, text);
    return json;
  };
  const drift = async () => {
    const { text } = await agent.call("GET", "/api/metrics", { local: true });
    return /^steward_configuration_drift (\d)$/m.exec(text)?.[1];
  };

  it("names what an apply would change, without a value of the device, and changes nothing", async () => {
    const before = await call("GET", "digest");
    assert.deepEqual([before.applied_at, before.drift, await drift()], [null, null, undefined]);
    const [newest] = (await agent.read("/api/events")).items;
    const checked = await call("POST", "check", file);
    assert.equal(checked.differs, true);
    type Difference = Record<"subject" | "name" | "action" | "members", string>;
    const told = ({ subject, name, action, members }: Difference) =>
      `${subject} ${name} ${action} ${members}`;
    assert.deepEqual(checked.differences.map(told), [
      "user monitor created role,display_name,enabled,password",
      "token monitor/scraper created user,name,scopes,sources,is_fleet",
      "settings  changed device.name,device.contact",
    ]);
    assert.doesNotMatch(JSON.stringify(checked), /what people call it|edge-7|lena@|argon2|abab/);
    assert.deepEqual(await call("GET", "digest"), before);
    assert.deepEqual((await agent.read("/api/events")).items[0], newest);
  });

  it("is none once the file is applied; the digest says so, the check, and the metric", async () => {
    await steward("apply -", JSON.stringify(file));
    const first = await call("GET", "digest");
    assert.deepEqual([first.drift, Date.parse(first.applied_at) > 0, await drift()], [false, true, "0"]);
    assert.deepEqual(await call("POST", "check", file), { differs: false, differences: [] });
    assert.deepEqual(await call("GET", "digest"), first);
  });
});
