import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { runSteward } from "../../lab/agents/agent-in-process.ts";
import { checkEvent } from "../../lab/agents/answer-rules.ts";
import { startCheckedAgent } from "../../lab/agents/checked-agent.ts";
import { ofSuite } from "../../lab/basics/ending.ts";
import type { Need } from "../../src/contract/types.ts";
import type { RootOrder } from "../../src/host/ports.ts";

describe("the machine, where root's helper answers", () => {
  const orders: RootOrder[] = [];
  let absence: string | null = null;
  const agent = ofSuite(() =>
    startCheckedAgent({
      helper: { ask: async (order) => void orders.push(order), mayBeAsked: true, absence: () => absence },
    }),
  );
  const admin = ofSuite(() => agent.signedInAdmin());
  const eventOf = async (type: string) => {
    const [event] = (await agent.read(`/api/events?type=${type}`)).items;
    checkEvent(event);
    return event;
  };

  it("says in status and health that its socket is gone, with the line to type, until it is back", async () => {
    const look = async () => {
      const { needs } = await agent.read("/api/status");
      const { checks } = await agent.read("/api/health");
      const need = needs.find((one: Need) => one.code === "root_helper");
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
    const { token } = admin;
    const answer = await agent.call("POST", "/api/system/reboot", { token, body: { force: true } });
    const { boot_id } = await agent.read("/api/version");
    assert.deepEqual([answer.status, answer.json], [202, { boot_id }]);
    const off = await runSteward(["power-off", "--yes", "--socket", agent.socket]);
    assert.deepEqual([off.code, off.stderr], [0, "The machine is shutting down.\n"]);
    assert.deepEqual(orders.splice(0), [{ word: "reboot" }, { word: "power-off" }]);
    const { actor, details } = await eventOf("host.reboot_requested");
    assert.deepEqual([actor.name, details], ["root-admin", { force: true }]);
    assert.equal((await eventOf("host.power_off_requested")).actor.kind, "local-root");
  });

  it("goes by a new name at once: in its answers, and in the Host headers that it takes", async () => {
    const reached = async () => {
      const headers = { host: `pump-7.local:${agent.port}` };
      return (await agent.call("GET", "/api/version", { headers })).status;
    };
    assert.equal(await reached(), 421);
    const sent = { token: admin.token, body: { host_name: "pump-7" } };
    const { json } = await agent.call("PUT", "/api/system/host", sent);
    assert.deepEqual([json.host_name, await reached()], ["pump-7", 200]);
    const { device_name, host } = await agent.read("/api/status");
    assert.deepEqual([device_name, host.hostname], ["pump-7", "pump-7"]);
    assert.equal((await eventOf("host.changed")).details.host_name, "pump-7");
  });
});
