import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { type CheckedAgent, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { startObservingAgent } from "../../../lab/agents/time-servers.ts";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";

const windowAt = (from: string, days: string[] = ["mon"]) => ({
  update: { windows: [{ days, from, to: "04:00" }] },
});

const webhook = { name: "alerts", kind: "webhook", url: "https://alerts.example/hook", takes: "all" };
const { url: _, ...withoutUrl } = webhook;
const mail = {
  ...{ name: "duty", kind: "mail", takes: "grave", server: "mail.example", port: 587 },
  ...{ security: "starttls", from: "pump@example.net", to: ["duty@example.net"] },
};
const receivers = (...list: object[]) => ({ notify: { receivers: list } });

/** Each is refused whole, with the code and a pointer to the member. */
const refused: [code: string, pointer: string, body: object][] = [
  ["validation_failed", "/security/session_idle", { security: { session_idle: "299s" } }],
  [
    "validation_failed",
    "/security/session_idle",
    { security: { session_idle: "24h1s", session_absolute: "30d" } },
  ],
  [
    "validation_failed",
    "/security/session_idle",
    { security: { session_idle: "2h", session_absolute: "1h" } },
  ],
  [
    "validation_failed",
    "/security/session_absolute",
    { security: { session_absolute: "14m59s", session_idle: "5m" } },
  ],
  ["validation_failed", "/security/session_absolute", { security: { session_absolute: "30d1s" } }],
  ["validation_failed", "/update/ota/check_interval", { update: { ota: { check_interval: "4m59s" } } }],
  ["validation_failed", "/update/ota/check_interval", { update: { ota: { check_interval: "30d1s" } } }],
  ["validation_failed", "/update/ota/check_interval", { update: { ota: { check_interval: "999999999d" } } }],
  ["validation_failed", "/time/max_root_distance", { time: { max_root_distance: "99ms" } }],
  ["validation_failed", "/time/max_root_distance", { time: { max_root_distance: "16s1ms" } }],
  ["validation_failed", "/time/panic_threshold", { time: { panic_threshold: "0s" } }],
  ["validation_failed", "/update/ota/check_interval", { update: { ota: { check_interval: "" } } }],
  ["validation_failed", "/update/ota/check_interval", { update: { ota: { check_interval: "6 h" } } }],
  ["validation_failed", "/update/ota/check_interval", { update: { ota: { check_interval: "-6h" } } }],
  ["validation_failed", "/update/ota/check_interval", { update: { ota: { check_interval: "1m1h" } } }],
  ["validation_failed", "/update/ota/check_interval", { update: { ota: { check_interval: 21_600 } } }],
  ["validation_failed", "/security/password_min_length", { security: { password_min_length: 14 } }],
  ["validation_failed", "/security/password_min_length", { security: { password_min_length: 129 } }],
  ["validation_failed", "/security/password_min_length", { security: { password_min_length: 15.5 } }],
  ["validation_failed", "/security/require_2fa", { security: { require_2fa: "some" } }],
  ["validation_failed", "/time/min_agreeing", { time: { min_agreeing: 0 } }],
  ["validation_failed", "/time/min_agreeing", { time: { min_agreeing: 9 } }],
  ["validation_failed", "/notify/receivers/0/url", receivers(withoutUrl)],
  ["validation_failed", "/notify/receivers/0/url", receivers({ ...withoutUrl, kind: "slack" })],
  ["validation_failed", "/notify/receivers/0/server", receivers({ ...mail, kind: "ntfy", url: webhook.url })],
  ["validation_failed", "/notify/receivers/0/kind", receivers({ ...webhook, kind: "pager" })],
  [
    "validation_failed",
    "/notify/receivers/0/url",
    receivers({ ...webhook, url: "https://user:pw@a.example/" }),
  ],
  ["validation_failed", "/notify/receivers/0/url", receivers({ ...webhook, url: "http://alerts.example/" })],
  ["validation_failed", "/notify/receivers/0/url", receivers({ ...webhook, url: "https://127.0.0.1/hook" })],
  ["validation_failed", "/notify/receivers/0/url", receivers({ ...webhook, url: "https://[fe80::1]/hook" })],
  [
    "validation_failed",
    "/notify/receivers/0/url",
    receivers({ ...webhook, url: "https://169.254.169.254/" }),
  ],
  ["validation_failed", "/notify/receivers/0/server", receivers({ ...webhook, server: "mail.example" })],
  ["validation_failed", "/notify/receivers/1/name", receivers(webhook, { ...mail, name: "alerts" })],
  ["validation_failed", "/notify/receivers/0/name", receivers({ ...webhook, name: "otlp" })],
  ["validation_failed", "/notify/receivers/0/server", receivers({ ...mail, server: "localhost" })],
  ["validation_failed", "/notify/receivers/0/server", receivers({ ...mail, server: "::1" })],
  ["validation_failed", "/notify/receivers/0/to", receivers({ ...mail, to: [] })],
  [
    "validation_failed",
    "/notify/receivers/0/to/0",
    receivers({ ...mail, to: ["a@example.net\nBcc: b@c.d"] }),
  ],
  ["validation_failed", "/notify/receivers/0/from", receivers({ ...mail, from: "Pump <pump@example.net>" })],
  [
    "validation_failed",
    "/notify/receivers",
    receivers(...Array.from({ length: 9 }, (_, i) => ({ ...webhook, name: `a${i}` }))),
  ],
  ["validation_failed", "/time/mode", { time: { mode: "slew" } }],
  [
    "validation_failed",
    "/time/servers",
    { time: { servers: Array.from({ length: 9 }, (_, i) => `ntp${i}`) } },
  ],
  ["validation_failed", "/time/servers", { time: { servers: ["a", "a"] } }],
  ["validation_failed", "/time/servers/0", { time: { servers: ["ntp.example.net:65536"] } }],
  ["validation_failed", "/time/servers/0", { time: { servers: ["ntp.example.net:0"] } }],
  ["validation_failed", "/time/servers/0", { time: { servers: ["-oProxyCommand"] } }],
  ["validation_failed", "/time/servers/0", { time: { servers: ["a b"] } }],
  ["validation_failed", "/time/servers/0", { time: { servers: ["[:::::]"] } }],
  ["validation_failed", "/time/servers/0", { time: { servers: ["[fe80::1]"] } }],
  ["validation_failed", "/time/servers/1", { time: { servers: ["a", { host: "0.0.0.0", nts: true }] } }],
  ["validation_failed", "/time/servers/0", { time: { servers: ["fd00::1"] } }],
  ["validation_failed", "/time/servers/1", { time: { servers: ["a", { host: "a", nts: true }] } }],
  [
    "validation_failed",
    "/time/servers/0",
    { time: { servers: [{ host: "ntp.example.net:65536", nts: true }] } },
  ],
  ["validation_failed", "/time/servers/0", { time: { servers: [{ host: "-oProxyCommand", nts: true }] } }],
  ["validation_failed", "/time/servers/0", { time: { servers: [{ host: "a" }] } }],
  ["validation_failed", "/time/servers/0", { time: { servers: [{ host: "a", nts: "yes" }] } }],
  ["validation_failed", "/time/servers/0", { time: { servers: [{ host: "a", nts: true, port: 1 }] } }],
  [
    "validation_failed",
    "/time/authenticated_only",
    { time: { authenticated_only: true, servers: ["a", { host: "b", nts: false }] } },
  ],
  ["validation_failed", "/device/name", { device: { name: "x".repeat(65) } }],
  ["validation_failed", "/device/name", { device: { name: "a\u001b[31mred" } }],
  ["validation_failed", "/device/name", { device: { name: "a\u202egnp" } }],
  ["validation_failed", "/device/name", { device: { name: null } }],
  ["validation_failed", "/console/language", { console: { language: "../en" } }],
  ["validation_failed", "/update/ota/server", { update: { ota: { server: "ftp://example.net/" } } }],
  [
    "validation_failed",
    "/update/ota/server",
    { update: { ota: { server: "https://user:secret@example.net/" } } },
  ],
  ["validation_failed", "/update/ota/enabled", { update: { ota: { enabled: true } } }],
  ["validation_failed", "/update/windows/0/from", windowAt("24:00")],
  ["validation_failed", "/update/windows/0/days", windowAt("01:00", ["mon", "mon"])],
  ["validation_failed", "/update/windows/0/days/0", windowAt("01:00", ["monday"])],
  ["unknown_field", "/device/nmae", { device: { nmae: "x" } }],
  ["unknown_field", "/update/ota/url", { update: { ota: { url: "x" } } }],
  ["validation_failed", "", []],
];

describe("settings that make no sense", () => {
  let agent: CheckedAgent;
  before(async () => {
    // Names of servers are set here that must not be looked up.
    agent = await startObservingAgent({ mode: "manual" });
    await agent.signedInAdmin();
  });
  after(() => agent.dispose());
  const put = (body: unknown) => agent.call("PUT", "/api/system", { body, local: true });
  const read = async () => (await agent.call("GET", "/api/system", { local: true })).json;

  for (const [code, pointer, body] of refused) {
    it(`are refused: ${JSON.stringify(body).slice(0, 80)}`, async () => {
      const before = await read();
      const { status, json } = await put(body);
      assert.deepEqual([status, json.code, json.errors[0].pointer], [400, code, pointer]);
      assert.deepEqual(await read(), before);
    });
  }

  const bounds = [
    { security: { session_idle: "5m", session_absolute: "15m" } },
    { security: { session_idle: "24h", session_absolute: "30d" } },
    { security: { session_idle: "1h30m", session_absolute: "1d" } },
    { update: { ota: { check_interval: "5m" } } },
    { update: { ota: { check_interval: "30d" } } },
    { security: { password_min_length: 128 } },
    { time: { authenticated_only: true, servers: ["a:123", { host: "[2001:db8::1]:4460", nts: true }] } },
    { time: { authenticated_only: false, servers: [{ host: "a", nts: false }] } },
    { time: { min_agreeing: 8, servers: Array.from({ length: 8 }, (_, index) => `ntp${index}`) } },
    { device: { name: "Größe 7 · Pumpe 🦦" } },
  ];
  for (const body of bounds) {
    it(`are taken at their bounds: ${JSON.stringify(body).slice(0, 80)}`, async () => {
      assert.equal((await put(body)).status, 200);
    });
  }

  it("verify_signature cannot be switched off: 422, also for local root and beside other members", async () => {
    const before = await read();
    for (const body of [{ verify_signature: false }, { verify_signature: false, channel: "beta" }]) {
      const { status, json } = await put({ update: { ota: body } });
      assert.deepEqual([status, json.code], [422, "signature_verification_required"]);
    }
    assert.deepEqual(await read(), before);
    assert.equal((await put({ update: { ota: { verify_signature: true } } })).status, 200);
  });

  it("auto_update_binary cannot be switched on without an established trust: 409", async () => {
    const before = await read();
    const { status, json } = await put({ update: { ota: { auto_update_binary: true } } });
    assert.deepEqual([status, json.code], [409, "update_trust_not_established"]);
    assert.deepEqual(await read(), before);
  });
});

describe("settings.json edited by hand", () => {
  const home = scratchDirectory();
  before(async () => {
    const agent = await startCheckedAgent({ stateDirectory: home });
    await agent.signedInAdmin();
    await agent.call("PUT", "/api/system", { body: { device: { name: "Kept" } }, local: true });
    await agent.dispose();
  });

  const edit = async (member: string, value: boolean) => {
    const file = join(home, "settings.json");
    const parsed = JSON.parse(await readFile(file, "utf8"));
    parsed.update.ota[member] = value;
    await writeFile(file, JSON.stringify(parsed));
  };
  for (const [member, value] of [
    ["verify_signature", false],
    ["auto_update_binary", true],
  ] as const) {
    it(`with ${member} ${value}: the agent runs, health is degraded and names it, until it is put right`, async (t) => {
      await edit(member, value);
      const agent = await startCheckedAgent({ stateDirectory: home });
      t.after(() => agent.dispose());
      assert.deepEqual((await agent.call("GET", "/api/health")).json, { status: "degraded" });
      const { json } = await agent.call("GET", "/api/health", { local: true });
      const check = json.checks.find(({ name }: { name: string }) => name === "updates");
      assert.equal(check.status, "degraded");
      assert.ok(check.detail.includes(member), check.detail);
      assert.equal((await agent.call("GET", "/api/system", { local: true })).json.device.name, "Kept");
      const body = { update: { ota: { [member]: !value } } };
      assert.equal((await agent.call("PUT", "/api/system", { body, local: true })).status, 200);
      assert.deepEqual((await agent.call("GET", "/api/health")).json, { status: "ok" });
    });
  }
});
