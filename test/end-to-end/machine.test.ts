import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { runSteward } from "../../lab/agents/agent-in-process.ts";
import { checkEvent } from "../../lab/agents/answer-rules.ts";
import { startCheckedAgent } from "../../lab/agents/checked-agent.ts";
import { ofSuite } from "../../lab/basics/ending.ts";
import type { Need } from "../../src/contract/types.ts";
import type { RootOrder } from "../../src/host/ports.ts";

/** An agent of a trial: it has no root helper. */
describe("the machine, where the host has no root helper", () => {
  const agent = ofSuite(startCheckedAgent);
  const admin = ofSuite(() => agent.signedInAdmin());

  const types = async () => {
    const { items } = (await agent.call("GET", "/api/events?after=0&limit=200", { local: true })).json;
    return items.map(({ type }: { type: string }) => type);
  };

  it("shows its name and zone to everyone who signed in", async () => {
    const { token } = await agent.signedIn("reader", "readonly");
    const { status, json } = await agent.call("GET", "/api/system/host", { token });
    assert.equal(status, 200);
    assert.deepEqual([json.support_until, json.support], [null, "unknown"]);
    assert.ok(json.host_name.length > 0 && json.time_zone.length > 0);
  });

  for (const [method, path, body] of [
    ["POST", "/api/system/reboot", undefined],
    ["POST", "/api/system/power-off", { force: true }],
    ["PUT", "/api/system/host", { host_name: "another-name" }],
  ] as const) {
    it(`${method} ${path} says that this host gives the agent no right to it`, async () => {
      const answer = await agent.call(method, path, { token: admin.token, ...(body && { body }) });
      assert.deepEqual([answer.status, answer.json.code], [409, "host_right_missing"]);
      assert.match(answer.json.detail, /no root helper/);
      const reader = await agent.login("reader", "quiet otters borrow umbrellas");
      const refused = await agent.call(method, path, { token: reader.token, ...(body && { body }) });
      assert.deepEqual([refused.status, refused.json.code], [403, "forbidden"]);
    });
  }

  it("names every fault of a name and a zone", async () => {
    const body = { host_name: "-edge", time_zone: "../etc/passwd" };
    const { status, json } = await agent.call("PUT", "/api/system/host", { token: admin.token, body });
    assert.equal(status, 400);
    assert.deepEqual(json.errors.map(({ pointer }: { pointer: string }) => pointer).sort(), [
      "/host_name",
      "/time_zone",
    ]);
    const unknown = { time_zone: "Europe/Bonn" };
    const zone = await agent.call("PUT", "/api/system/host", { token: admin.token, body: unknown });
    assert.deepEqual([zone.status, zone.json.errors[0].code], [400, "unknown_time_zone"]);
  });

  it("records nothing that did not happen", async () => {
    const { json } = await agent.call("GET", "/api/system/host", { token: admin.token });
    const { host_name, time_zone } = json;
    const body = { host_name, time_zone };
    const same = await agent.call("PUT", "/api/system/host", { token: admin.token, body });
    assert.deepEqual([same.status, same.json], [200, json]);
    assert.deepEqual(
      (await types()).filter((type: string) => type.startsWith("host.")),
      [],
    );
  });

  it("is shown and asked by the command line", async () => {
    const places = ["--socket", agent.socket];
    const shown = await runSteward(["system", "time-zone", ...places]);
    const { json } = await agent.call("GET", "/api/system/host", { token: admin.token });
    assert.deepEqual([shown.code, shown.stdout], [0, `${json.time_zone}\n`]);
    const unasked = await runSteward(["reboot", ...places]);
    assert.equal(unasked.code, 2);
    assert.match(unasked.stderr, /steward reboot --socket .* --yes/);
    const asked = await runSteward(["power-off", "--yes", ...places]);
    assert.equal(asked.code, 4);
    assert.match(asked.stderr, /no right to switch it off/);
  });
});

describe("the machine, where root's helper answers", () => {
  const orders: RootOrder[] = [];
  let absence: string | null = null;

  const agent = ofSuite(() =>
    startCheckedAgent({ helper: { ask: async (order) => void orders.push(order), absence: () => absence } }),
  );
  const admin = ofSuite(() => agent.signedInAdmin());

  const eventOf = async (type: string) => {
    const { items } = (await agent.call("GET", "/api/events?after=0&limit=200", { local: true })).json;
    const event = items.find((one: { type: string }) => one.type === type);
    checkEvent(event);
    return event;
  };

  it("says in status and health that its socket is gone, with the line to type, until it is back", async () => {
    const look = async () => {
      const { json } = await agent.call("GET", "/api/status", { local: true });
      const { checks } = (await agent.call("GET", "/api/health", { local: true })).json;
      const need = json.needs.find((one: Need) => one.code === "root_helper");
      const check = checks.find((one: { name: string }) => one.name === "root helper");
      return [need?.level, need?.facts.reason, need?.remedy?.line, check.code];
    };
    const typed = "systemctl restart steward-helper.socket";
    absence = `It is gone. As root: ${typed}.`;
    assert.deepEqual(await look(), ["failing", "root_helper_missing", typed, "root_helper_missing"]);
    absence = null;
    assert.deepEqual(await look(), [undefined, undefined, undefined, "ok"]);
  });

  it("answers before it goes down, and records who asked", async () => {
    const body = { force: true };
    const answer = await agent.call("POST", "/api/system/reboot", { token: admin.token, body });
    const { boot_id } = (await agent.call("GET", "/api/version", { token: admin.token })).json;
    assert.deepEqual([answer.status, answer.json], [202, { boot_id }]);
    const off = await runSteward(["power-off", "--yes", "--socket", agent.socket]);
    assert.deepEqual([off.code, off.stderr], [0, "The machine is shutting down.\n"]);
    assert.deepEqual(orders.splice(0), [{ word: "reboot" }, { word: "power-off" }]);
    const reboot = await eventOf("host.reboot_requested");
    assert.deepEqual([reboot.actor.name, reboot.details], ["root-admin", { force: true }]);
    assert.equal((await eventOf("host.power_off_requested")).actor.kind, "local-root");
  });

  it("goes by a new name at once: in its answers, and in the Host headers that it takes", async () => {
    const headers = { host: `pump-7.local:${agent.port}` };
    assert.equal((await agent.call("GET", "/api/version", { headers })).status, 421);
    const body = { host_name: "pump-7" };
    const { status, json } = await agent.call("PUT", "/api/system/host", { token: admin.token, body });
    assert.deepEqual([status, json.host_name], [200, "pump-7"]);
    assert.deepEqual(orders.splice(0), [{ word: "host-name", name: "pump-7" }]);
    assert.equal((await agent.call("GET", "/api/version", { headers })).status, 200);
    const shown = (await agent.call("GET", "/api/status", { token: admin.token })).json;
    assert.deepEqual([shown.device_name, shown.host.hostname], ["pump-7", "pump-7"]);
    const { details } = await eventOf("host.changed");
    assert.equal(details.host_name, "pump-7");
  });
});
