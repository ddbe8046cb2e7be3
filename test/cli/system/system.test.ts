import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseAssignments } from "../../../src/cli/system/setting-change.ts";
import { CommandError } from "../../../src/terminal/command-error.ts";
import { type Answers, ended, ends, problem } from "../fixture.ts";

const settings = {
  device: { name: "gate", location: "", contact: "ops" },
  time: { mode: "auto", servers: ["a.example", "b.example"], min_agreeing: null, panic_threshold: "1000s" },
  update: { ota: { enabled: false, channel: "stable" }, windows: [] },
};

describe("steward system get", { concurrency: true }, () => {
  const answers = { "GET /api/system": { body: settings } };

  it("prints every setting by its dotted key, as `system set` takes it", (test) =>
    ends(test, "system get", answers, {
      stdout: [
        /^device\.name=gate$/m,
        /^time\.servers=a\.example,b\.example$/m,
        /^time\.min_agreeing=null$/m,
        /^update\.ota\.enabled=false$/m,
      ],
    }));

  for (const [words, stdout] of Object.entries({
    "device.name": "gate\n",
    "device.location": "\n",
    device: "device.name=gate\ndevice.location=\ndevice.contact=ops\n",
    "update.ota -o json": '{\n  "enabled": false,\n  "channel": "stable"\n}\n',
    "device.name -o json": '"gate"\n',
  }))
    it(`prints ${JSON.stringify(stdout)} for ${words}`, (test) =>
      ends(test, `system get ${words}`, answers, { stdout }));

  for (const [key, code, stderr] of [
    ["device.nme", 6, /no setting "device\.nme"\. Near: device\.name/],
    ["update.ota.server", 4, /hidden from this role/],
  ] as const)
    it(`ends with ${code} for ${key}`, (test) => ends(test, `system get ${key}`, answers, { code, stderr }));
});

describe("steward system set", { concurrency: true }, () => {
  const former = { ...settings, device: { ...settings.device, name: "former" } };
  const answers: Answers = { "GET /api/system": { body: former }, "PUT /api/system": { body: settings } };

  it("sends all pairs as one change and prints which are other than before", (test) =>
    ends(test, "system set update.ota.channel=stable device.name=gate", answers, {
      stdout: "device.name=gate\n",
      sent: [["PUT /api/system", { update: { ota: { channel: "stable" } }, device: { name: "gate" } }]],
    }));

  it("works with a token that may write and not read, and says what it cannot know", async (test) => {
    const blind = { ...answers, "GET /api/system": problem({ code: "insufficient_scope", status: 403 }) };
    const line = "system set device.name=gate";
    await ends(test, line, blind, { stderr: /cannot read whether they had them before/ });
    const { stdout } = await ended(test, `${line} -o json`, blind);
    assert.deepEqual(JSON.parse(stdout), { changed: null });
  });

  it("sends nothing when one of the keys is unknown", (test) =>
    ends(test, "system set device.name=x device.nme=y", answers, { code: 6, asked: [] }));

  const wrong: readonly (readonly [assignment: string, exit: number, message: RegExp])[] = [
    ["device.name", 2, /must have the form KEY=VALUE/],
    ["=x", 2, /must have the form KEY=VALUE/],
    ["update.ota.chanel=beta", 6, /no setting "update\.ota\.chanel"\. Near: update\.ota\.channel/],
    ["channel=beta", 6, /Near: update\.ota\.channel/],
    ["update.ota=beta", 6, /"update\.ota" is a group of settings: update\.ota\.enabled, /],
    ["__proto__.polluted=1", 6, /no setting/],
    ["update.ota={", 6, /update\.ota is not JSON at line 1, column 2: it ends here/],
    ['update.ota={"enabled":true,"enabled":false}', 6, /the member "enabled" is there twice/],
    ['update.ota={"chanel":"beta"}', 6, /no setting "update\.ota\.chanel"\. Near: update\.ota\.channel/],
    ["update.ota.enabled=perhaps", 6, /must be true or false, not "perhaps"/],
    ["update.ota.enabled=1", 6, /must be true or false/],
    ["update.windows=mon", 6, /update\.windows must be a JSON list, such as 'update\.windows=\[\]'/],
    ["security.password_min_length=long", 6, /must be a whole number, not "long"/],
    ["time.min_agreeing=few", 6, /must be a whole number, or null, not "few"/],
    ["device.name=a device.name=b", 2, /device\.name is given twice/],
  ];
  for (const [assignments, exit, message] of wrong)
    it(`refuses ${assignments} with exit ${exit}`, () =>
      assert.throws(
        () => parseAssignments(assignments.split(" ")),
        (error) => error instanceof CommandError && error.exitCode === exit && message.test(error.message),
      ));

  const servers = ["a.example", "b.example"];
  const nts = ["a.example", { host: "b.example", nts: true }];
  for (const [assignment, change] of [
    ["device.name=true", { device: { name: "true" } }],
    ["device.name=a=b", { device: { name: "a=b" } }],
    ["device.name=", { device: { name: "" } }],
    ["update.ota.check_interval=90", { update: { ota: { check_interval: "90" } } }],
    ["update.ota.enabled=false", { update: { ota: { enabled: false } } }],
    ["update.ota.enabled=yes", { update: { ota: { enabled: true } } }],
    ['update.ota={"enabled":true}', { update: { ota: { enabled: true } } }],
    ["security.password_min_length=20", { security: { password_min_length: 20 } }],
    ["time.min_agreeing=null", { time: { min_agreeing: null } }],
    ["time.min_agreeing=2", { time: { min_agreeing: 2 } }],
    ["time.min_agreeing=", { time: { min_agreeing: null } }],
    ["time.servers=a.example, b.example", { time: { servers } }],
    ["time.servers=[2001:db8::1]:123", { time: { servers: ["[2001:db8::1]:123"] } }],
    [`time.servers=${JSON.stringify(nts)}`, { time: { servers: nts } }],
    [`time.servers=${JSON.stringify(servers)}`, { time: { servers } }],
    ["time.servers=", { time: { servers: [] } }],
  ] as const)
    it(`takes ${assignment} by the schema's type`, () =>
      assert.deepEqual(parseAssignments([assignment]).change, change));

  it("joins several into one change", () => {
    const keys = ["update.ota.channel", "device.name", "update.ota.enabled"];
    const given = ["update.ota.channel=beta", "device.name=x", "update.ota.enabled=true"];
    const change = { update: { ota: { channel: "beta", enabled: true } }, device: { name: "x" } };
    assert.deepEqual(parseAssignments(given), { change, keys });
  });
});

describe("steward system schema and facts", () => {
  it("prints a row for each setting", (test) => {
    const words = { type: "string", default: "stable", "x-writer": "admin" };
    const channel = { ...words, description: "release channel" };
    const mode = { ...words, enum: ["auto", "manual"], default: "auto" };
    const body = { type: "object", properties: { ota: { type: "object", properties: { channel } }, mode } };
    return ends(
      test,
      "system schema",
      { "GET /api/system/schema": { body } },
      {
        stdout:
          "KEY          TYPE         DEFAULT  WRITER  MEANING\n" +
          "ota.channel  string       stable   admin   release channel\n" +
          "mode         auto|manual  auto     admin   -\n",
      },
    );
  });

  it("prints figures as people read them, and a dash for unknown ones", (test) => {
    const addresses = ["192.0.2.7/24", "2001:db8::7/64"];
    const body = {
      hostname: "gate",
      time_zone: "Europe/Berlin",
      manufacturer: null,
      model: "Box 1",
      cpu: { model: null, cores: 4 },
      memory: { total_bytes: 2 ** 31, available_bytes: 2 ** 29, swap_total_bytes: 0, swap_free_bytes: 0 },
      disks: [{ mount: "/", type: "ext4", size_bytes: 2 ** 40, available_bytes: 1000 }],
      load: [0.5, 0.25, 0],
      temperatures: Object.entries({ cpu: 41.5, board: null }).map(([sensor, celsius]) => ({
        sensor,
        celsius,
      })),
      uptime_seconds: 93_784,
      network: {
        interfaces: [{ name: "lan0", mac: "02:00:00:00:00:07", addresses }],
        gateways: ["192.0.2.1"],
        name_servers: [],
      },
      services: [{ unit: "pump.service", state: "active" }],
    };
    return ends(
      test,
      "system facts",
      { "GET /api/system/facts": { body } },
      {
        stdout:
          "host name             gate\n" +
          "time zone             Europe/Berlin\n" +
          "manufacturer          -\n" +
          "model                 Box 1\n" +
          "processor             unknown, 4 cores\n" +
          "memory                512.0 MiB of 2.0 GiB free\n" +
          "swap                  -\n" +
          "disk /                1000 B of 1.0 TiB free, ext4\n" +
          "load                  0.50 0.25 0.00\n" +
          "temperature cpu       41.5 °C\n" +
          "temperature board     -\n" +
          "up for                1 d 2 h 3 min\n" +
          "interface lan0        192.0.2.7/24, 2001:db8::7/64, 02:00:00:00:00:07\n" +
          "gateways              192.0.2.1\n" +
          "name servers          -\n" +
          "service pump.service  active\n",
      },
    );
  });
});
