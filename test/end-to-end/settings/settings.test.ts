import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { CheckedAgent, SignedIn } from "../../../lab/agents/checked-agent.ts";
import { adminName, adminPassword, outcome, stepUp } from "../../../lab/agents/running-agent.ts";
import { startObservingAgent } from "../../../lab/agents/time-servers.ts";
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
  let agent: CheckedAgent;
  let admin: SignedIn;
  let operator: SignedIn;
  let readonly: SignedIn;
  const time = passingTime();
  before(async () => {
    agent = await startObservingAgent({ mode: "manual", servers: undefined }, {}, { time });
    admin = await agent.signedInAdmin();
    operator = await agent.signedIn("olga", "operator");
    readonly = await agent.signedIn("rita", "readonly");
  });
  after(() => agent.dispose());
  const read = async (token = admin.token) => (await agent.call("GET", "/api/system", { token })).json;
  const put = (body: unknown, token = admin.token, headers: Record<string, string> = {}) =>
    agent.call("PUT", "/api/system", { token, body, headers });

  it("begin with the contract's defaults", async () => {
    assert.deepEqual(await read(), defaults);
  });

  // By hand, whatever the contract says.
  it("begin safe", async () => {
    const { time: clock, update, security } = await read();
    const { require_2fa, session_idle, session_absolute, password_min_length } = security;
    assert.deepEqual([require_2fa, session_idle, session_absolute], ["none", "60m", "24h"]);
    assert.equal(password_min_length, 15);
    const { enabled, server, auto_update_binary, verify_signature, report } = update.ota;
    assert.deepEqual([enabled, server, verify_signature, report], [false, "", true, false]);
    assert.equal(auto_update_binary, false);
    assert.deepEqual([clock.min_agreeing, clock.panic_threshold], [null, "1000s"]);
    assert.ok(clock.servers.length >= 4 && clock.servers.every((one: string) => /debian\.pool/.test(one)));
  });

  it("a change merges: members that are not given stay, lists are replaced as a whole", async () => {
    const { status, json } = await put({ device: { name: "Pump 7" }, time: { servers: ["127.0.0.1:9"] } });
    assert.equal(status, 200);
    const device = { ...defaults.device, name: "Pump 7" };
    const time = { ...defaults.time, servers: ["127.0.0.1:9"] };
    assert.deepEqual(json, { ...defaults, device, time });
    assert.deepEqual(await read(), json);
  });

  it("an empty change is none: the tag stays", async () => {
    const { headers } = await agent.call("GET", "/api/system", { token: admin.token });
    for (const body of [{}, { device: {} }, { update: { ota: {} } }, { device: { name: "Pump 7" } }]) {
      const answer = await put(body);
      assert.deepEqual([answer.status, answer.headers.etag], [200, headers.etag]);
    }
  });

  it("If-Match with a tag of before is 412, and nothing was changed", async () => {
    const old = String((await agent.call("GET", "/api/system", { token: admin.token })).headers.etag);
    assert.equal(
      (await put({ device: { location: "Cellar" } }, admin.token, { "if-match": old })).status,
      200,
    );
    assert.equal(
      await outcome(put({ device: { location: "Roof" } }, admin.token, { "if-match": old })),
      "412 etag_mismatch",
    );
    assert.equal((await read()).device.location, "Cellar");
  });

  it("of ten changes at once with one tag exactly one is made (lost update)", async () => {
    const tag = String((await agent.call("GET", "/api/system", { token: admin.token })).headers.etag);
    const places = Array.from({ length: 10 }, (_, index) => `Place ${index}`);
    const all = await Promise.all(
      places.map((location) => put({ device: { location } }, admin.token, { "if-match": tag })),
    );
    assert.equal(all.filter(({ status }) => status === 200).length, 1);
    assert.equal(all.filter(({ status }) => status === 412).length, 9);
  });

  it("readonly sees neither the contact nor the path of the update server; an empty one is shown empty", async () => {
    assert.deepEqual((await read(readonly.token)).device.contact, "");
    const server = "https://updates.example.net/appliance";
    await put({ device: { contact: "Ann, 555-0100" }, update: { ota: { server } } });
    const { json: shown } = await agent.call("GET", "/api/system", { token: readonly.token });
    assert.equal(JSON.stringify(shown).includes("555-0100"), false);
    assert.equal(JSON.stringify(shown).includes("/appliance"), false);
    assert.equal(shown.device.contact, "(hidden)");
    assert.match(shown.update.ota.server, /^https:\/\/updates\.example\.net\/…[0-9a-f]{4}$/);
    const { device, update } = await read(operator.token);
    assert.deepEqual([device.contact, update.ota.server], ["Ann, 555-0100", shown.update.ota.server]);
    assert.equal((await read()).update.ota.server, server);
  });

  it("the tag of what readonly sees is not the tag of the whole", async () => {
    const whole = await agent.call("GET", "/api/system", { token: admin.token });
    const redacted = await agent.call("GET", "/api/system", { token: readonly.token });
    assert.notEqual(whole.headers.etag, redacted.headers.etag);
  });

  describe("who may write", () => {
    const byOperator = [
      { device: { name: "By Olga" } },
      { device: { location: "There", contact: "Olga" } },
      { update: { ota: { check_interval: "12h" } } },
      { update: { windows: [{ days: ["mon", "fri"], from: "22:00", to: "04:00" }] } },
      { console: { language: "de", banner: "Ask before you change anything" } },
    ];
    for (const body of byOperator) {
      it(`operator: ${JSON.stringify(body)}`, async () => {
        assert.equal((await put(body, readonly.token)).status, 403);
        assert.equal((await put(body, operator.token)).status, 200);
      });
    }
    const byAdmin = [
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
    ];
    for (const body of byAdmin) {
      it(`administrator alone: ${JSON.stringify(body)}`, async () => {
        const before = await read();
        const { status, json } = await put(body, operator.token);
        assert.deepEqual([status, json.code], [403, "forbidden"]);
        assert.equal(json.errors.length >= 1, true, "names the members");
        assert.deepEqual(await read(), before);
        assert.equal((await put(body)).status, 200);
      });
    }
    it("local root alone: a directory as the update server (files that an administrator may not read)", async () => {
      const before = await read();
      const body = { update: { ota: { server: "file:///media/usb" } } };
      for (const { token } of [operator, admin]) {
        const { status, json } = await put(body, token);
        assert.deepEqual(
          [status, json.code, json.errors[0].pointer],
          [403, "forbidden", "/update/ota/server"],
        );
        assert.match(json.detail, /steward system set update\.ota\.server=file:\/\/\/media\/usb/);
      }
      assert.deepEqual(await read(), before);
      assert.equal((await agent.call("PUT", "/api/system", { body, local: true })).status, 200);
      const sentBack = await put({ ...(await read()), device: { ...before.device, name: "Beside it" } });
      assert.equal(
        sentBack.status,
        200,
        "a directory that stands there keeps an administrator from nothing else",
      );
    });
    it("an administrator's members need the password again, an operator's do not (step-up)", async () => {
      const { token } = await agent.login(adminName, adminPassword);
      time.pass(stepUpSeconds);
      assert.equal(await outcome(put({ time: { mode: "auto" } }, token)), "401 step_up_required");
      assert.equal((await put({ update: { ota: { check_interval: "8h" } } }, token)).status, 200);
      assert.equal((await put({ time: { mode: "observe" } }, token)).status, 200, "no change");
      await stepUp(agent.call, admin.token, adminPassword);
    });
    it("a change that is half the operator's is refused whole (privilege escalation by mixing)", async () => {
      const before = await read();
      const body = { device: { name: "Smuggled" }, security: { session_idle: "24h" } };
      assert.equal((await put(body, operator.token)).status, 403);
      assert.deepEqual(await read(), before);
    });
    it("a member that is given as it is is no change: an operator may send all of it back", async () => {
      const all = await read(operator.token);
      assert.equal(
        (await put({ ...all, device: { ...all.device, name: "Again" } }, operator.token)).status,
        200,
      );
    });
  });
});
