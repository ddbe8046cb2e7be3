import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { outcome } from "../../../lab/agents/running-agent.ts";
import { startObservingAgent } from "../../../lab/agents/time-servers.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";

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

/** By the pointer to their member. */
const refusedValues: Readonly<Record<string, readonly unknown[]>> = {
  "/security/session_idle": ["299s"],
  "/security/session_absolute": ["30d1s"],
  "/security/password_min_length": [14, 129, 15.5],
  "/update/ota/check_interval": ["4m59s", "30d1s", "6 h", 21_600],
  "/update/ota/server": ["ftp://example.net/", "https://user:secret@example.net/"],
  "/update/ota/enabled": [true],
  "/time/max_root_distance": ["99ms", "16s1ms"],
  "/time/panic_threshold": ["0s"],
  "/time/min_agreeing": [0, 9],
  "/time/servers": [Array.from({ length: 9 }, (_, index) => `ntp${index}`), ["a", "a"]],
  "/device/name": ["x".repeat(65), "a\u001b[31mred", "a\u202egnp", null],
  "/console/language": ["../en"],
};
const unknownMembers = ["/device/nmae", "/update/ota/url"];

const changeOf = (pointer: string, value: unknown): unknown =>
  pointer
    .split("/")
    .slice(1)
    .reduceRight((inner, name) => ({ [name]: inner }), value);

const servers = (...list: unknown[]) => ({ time: { servers: list } });
/** A fault of the first time server. */
const refusedServers = [
  ...["ntp.example.net:65536", "fd00::1", { host: "a" }, { host: "a", nts: "yes" }],
  ...[
    { host: "a", nts: true, port: 1 },
    { host: "-oProxyCommand", nts: true },
  ],
];

/** A fault of the first receiver, by its member. */
const refusedReceivers: [member: string, receiver: object][] = [
  ["url", withoutUrl],
  ["url", { ...withoutUrl, kind: "slack" }],
  ["server", { ...mail, kind: "ntfy", url: webhook.url }],
  ["kind", { ...webhook, kind: "pager" }],
  ["url", { ...webhook, url: "https://user:pw@a.example/" }],
  ["url", { ...webhook, url: "http://alerts.example/" }],
  ["url", { ...webhook, url: "https://127.0.0.1/hook" }],
  ["url", { ...webhook, url: "https://[fe80::1]/hook" }],
  ["url", { ...webhook, url: "https://169.254.169.254/" }],
  ["server", { ...webhook, server: "mail.example" }],
  ["name", { ...webhook, name: "otlp" }],
  ["server", { ...mail, server: "localhost" }],
  ["server", { ...mail, server: "::1" }],
  ["to", { ...mail, to: [] }],
  ["to/0", { ...mail, to: ["a@example.net\nBcc: b@c.d"] }],
  ["from", { ...mail, from: "Pump <pump@example.net>" }],
];

/** The bodies that are refused, and the pointer to the first fault. */
const refused: (readonly [pointer: string, body: unknown])[] = [
  ...Object.entries(refusedValues).flatMap(([pointer, values]) =>
    values.map((value) => [pointer, changeOf(pointer, value)] as const),
  ),
  ...unknownMembers.map((pointer) => [pointer, changeOf(pointer, "x")] as const),
  ...refusedServers.map((server) => ["/time/servers/0", servers(server)] as const),
  ...refusedReceivers.map(
    ([member, receiver]) => [`/notify/receivers/0/${member}`, receivers(receiver)] as const,
  ),
  ["/security/session_idle", { security: { session_idle: "24h1s", session_absolute: "30d" } }],
  ["/security/session_idle", { security: { session_idle: "2h", session_absolute: "1h" } }],
  ["/security/session_absolute", { security: { session_absolute: "14m59s", session_idle: "5m" } }],
  ["/notify/receivers/1/name", receivers(webhook, { ...mail, name: "alerts" })],
  ["/notify/receivers", receivers(...Array.from({ length: 9 }, (_, i) => ({ ...webhook, name: `a${i}` })))],
  ["/time/servers/1", servers("a", { host: "0.0.0.0", nts: true })],
  ["/time/servers/1", servers("a", { host: "a", nts: true })],
  [
    "/time/authenticated_only",
    { time: { authenticated_only: true, servers: ["a", { host: "b", nts: false }] } },
  ],
  ["/update/windows/0/from", windowAt("24:00")],
  ["/update/windows/0/days", windowAt("01:00", ["mon", "mon"])],
  ["/update/windows/0/days/0", windowAt("01:00", ["monday"])],
  ["", []],
];

describe("settings that make no sense", () => {
  // Names of servers are set here that must not be looked up.
  const agent = ofSuite(() => startObservingAgent({ mode: "manual" }));
  before(() => agent.signedInAdmin());
  const put = (body: unknown) => agent.call("PUT", "/api/system", { body, local: true });
  const read = () => agent.read("/api/system");

  it("are refused, with a pointer to the first fault, and change nothing", async () => {
    const before = await read();
    for (const [pointer, body] of refused) {
      const code = unknownMembers.includes(pointer) ? "unknown_field" : "validation_failed";
      const { status, json } = await put(body);
      const found = [status, json.code, json.errors[0].pointer];
      assert.deepEqual(found, [400, code, pointer], JSON.stringify(body));
    }
    assert.deepEqual(await read(), before);
  });

  it("are taken at their bounds", async () => {
    for (const body of [
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
    ])
      assert.equal((await put(body)).status, 200, JSON.stringify(body));
  });

  it("leave verification on, whoever asks and whatever is beside it, and apply nothing without a trust", async () => {
    const before = await read();
    for (const [ota, refusal] of [
      [{ verify_signature: false }, "422 signature_verification_required"],
      [{ verify_signature: false, channel: "beta" }, "422 signature_verification_required"],
      [{ auto_update_binary: true }, "409 update_trust_not_established"],
    ] as const)
      assert.equal(await outcome(put({ update: { ota } })), refusal);
    assert.deepEqual(await read(), before);
    assert.equal((await put({ update: { ota: { verify_signature: true } } })).status, 200);
  });
});
