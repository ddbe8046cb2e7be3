import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { adminName, adminPassword, outcome, stepUp } from "../../../lab/agents/running-agent.ts";
import { startObservingAgent } from "../../../lab/agents/time-servers.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { passingTime } from "../../../lab/simulated/test-time.ts";
import { stepUpSeconds } from "../../../src/accounts/sessions/step-up.ts";
import { settings } from "../../../src/contract/schemas/settings.ts";
import type { Settings } from "../../../src/contract/types.ts";

interface Part {
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Part>>;
}

/** The default of each setting, as the contract declares it. */
function declared({ properties, default: value }: Part): unknown {
  if (properties === undefined) return value;
  return Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, declared(part)]));
}

const contracts = declared(settings) as Settings;

// Not the default: no agent under test asks the servers of the default.
const defaults = { ...contracts, time: { ...contracts.time, mode: "manual" } };

describe("settings", () => {
  const time = passingTime();
  const agent = ofSuite(() => startObservingAgent({ mode: "manual", servers: undefined }, {}, { time }));
  const admin = ofSuite(() => agent.signedInAdmin());
  const operator = ofSuite(() => agent.signedIn("olga", "operator"));
  const reader = ofSuite(() => agent.signedIn("rita", "readonly"));
  const get = ({ token } = admin) => agent.call("GET", "/api/system", { token });
  const read = async (by = admin) => (await get(by)).json;
  const tagOf = async (by = admin) => String((await get(by)).headers.etag);
  const put = (body: unknown, { token } = admin, tag?: string) =>
    agent.call("PUT", "/api/system", { token, body, headers: tag === undefined ? {} : { "if-match": tag } });

  it("begin with the contract's defaults, which are safe", async () => {
    const begun = await read();
    assert.deepEqual(begun, defaults);
    const { time: clock, update, security } = begun;
    const { require_2fa, session_idle, session_absolute, password_min_length } = security;
    const asked = [require_2fa, session_idle, session_absolute, password_min_length];
    assert.deepEqual(asked, ["none", "60m", "24h", 15]);
    const { enabled, server, auto_update_binary, verify_signature, report } = update.ota;
    const unasked = [enabled, server, auto_update_binary, verify_signature, report];
    assert.deepEqual(unasked, [false, "", false, true, false]);
    assert.deepEqual([clock.min_agreeing, clock.panic_threshold], [null, "1000s"]);
    assert.ok(clock.servers.length >= 4 && clock.servers.every((one) => /debian\.pool/.test(String(one))));
  });

  it("are merged by a change: members that are not given stay, lists are replaced, and an empty one is none", async () => {
    const { json } = await put({ device: { name: "Pump 7" }, time: { servers: ["127.0.0.1:9"] } });
    const device = { ...defaults.device, name: "Pump 7" };
    assert.deepEqual(json, { ...defaults, device, time: { ...defaults.time, servers: ["127.0.0.1:9"] } });
    assert.deepEqual(await read(), json);
    const tag = await tagOf();
    for (const body of [{}, { device: {} }, { update: { ota: {} } }, { device: { name: "Pump 7" } }]) {
      const { status, headers } = await put(body);
      assert.deepEqual([status, headers.etag], [200, tag]);
    }
  });

  it("take exactly one of ten changes at once with one tag (lost update)", async () => {
    const tag = await tagOf();
    const changes = Array.from({ length: 10 }, (_, index) => ({ device: { location: `Place ${index}` } }));
    const all = await Promise.all(changes.map((body) => outcome(put(body, admin, tag))));
    assert.deepEqual(all.sort(), ["200", ...Array(9).fill("412 etag_mismatch")]);
  });

  it("readonly sees neither the contact nor the path of the update server; an empty one is shown empty", async () => {
    assert.deepEqual((await read(reader)).device.contact, "");
    const server = "https://updates.example.net/appliance";
    await put({ device: { contact: "Ann, 555-0100" }, update: { ota: { server } } });
    const shown = await read(reader);
    assert.doesNotMatch(JSON.stringify(shown), /555-0100|\/appliance/);
    assert.equal(shown.device.contact, "(hidden)");
    assert.match(shown.update.ota.server, /^https:\/\/updates\.example\.net\/…[0-9a-f]{4}$/);
    const { device, update } = await read(operator);
    assert.deepEqual([device.contact, update.ota.server], ["Ann, 555-0100", shown.update.ota.server]);
    assert.equal((await read()).update.ota.server, server);
    assert.notEqual(await tagOf(), await tagOf(reader), "the tag of what readonly sees");
  });

  describe("who may write", () => {
    it("an operator writes what the device is called, when it looks for updates, and how the console greets", async () => {
      for (const body of [
        { device: { name: "By Olga" } },
        { device: { location: "There", contact: "Olga" } },
        { update: { ota: { check_interval: "12h" } } },
        { update: { windows: [{ days: ["mon", "fri"], from: "22:00", to: "04:00" }] } },
        { console: { language: "de", banner: "Ask before you change anything" } },
      ]) {
        assert.equal(await outcome(put(body, reader)), "403 forbidden", JSON.stringify(body));
        assert.equal(await outcome(put(body, operator)), "200", JSON.stringify(body));
      }
    });

    for (const body of [
      { time: { mode: "observe" } },
      { time: { servers: ["127.0.0.2:9", "[::1]:9"] } },
      { time: { min_agreeing: 3 } },
      { time: { panic_threshold: "30m" } },
      { update: { ota: { server: "https://updates.example.org/repository" } } },
      { update: { ota: { channel: "beta" } } },
      { update: { ota: { enabled: true } } },
      { update: { ota: { auto_update_rules: false } } },
      { security: { session_idle: "30m" } },
      { security: { session_absolute: "7d" } },
      { security: { password_min_length: 16 } },
    ])
      it(`administrator alone: ${JSON.stringify(body)}`, async () => {
        const before = await read();
        const { json } = await put(body, operator);
        assert.deepEqual([json.code, json.errors.length > 0], ["forbidden", true], "names the members");
        assert.deepEqual(await read(), before);
        assert.equal(await outcome(put(body)), "200");
      });

    it("local root alone: a directory as the update server (files that an administrator may not read)", async () => {
      const before = await read();
      const body = { update: { ota: { server: "file:///media/usb" } } };
      for (const user of [operator, admin]) {
        const { json } = await put(body, user);
        assert.deepEqual([json.code, json.errors[0].pointer], ["forbidden", "/update/ota/server"]);
        assert.match(json.detail, /steward system set update\.ota\.server=file:\/\/\/media\/usb/);
      }
      assert.deepEqual(await read(), before);
      assert.equal((await agent.call("PUT", "/api/system", { body, local: true })).status, 200);
      const sentBack = put({ ...(await read()), device: { ...before.device, name: "Beside it" } });
      assert.equal(await outcome(sentBack), "200", "it keeps an administrator from nothing else");
    });

    it("an administrator's members need the password again, an operator's do not (step-up)", async () => {
      const late = await agent.login(adminName, adminPassword);
      time.pass(stepUpSeconds);
      assert.equal(await outcome(put({ time: { mode: "auto" } }, late)), "401 step_up_required");
      assert.equal(await outcome(put({ update: { ota: { check_interval: "8h" } } }, late)), "200");
      assert.equal(await outcome(put({ time: { mode: "observe" } }, late)), "200", "no change");
      await stepUp(agent.call, admin.token, adminPassword);
    });

    it("a change that is half the operator's is refused whole (privilege escalation by mixing)", async () => {
      const before = await read();
      const body = { device: { name: "Smuggled" }, security: { session_idle: "24h" } };
      assert.equal(await outcome(put(body, operator)), "403 forbidden");
      assert.deepEqual(await read(), before);
      const all = await read(operator);
      const sentBack = put({ ...all, device: { ...all.device, name: "Again" } }, operator);
      assert.equal(await outcome(sentBack), "200", "what is given as it is is no change");
    });
  });
});
