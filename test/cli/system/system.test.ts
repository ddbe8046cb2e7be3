import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { runSteward } from "../../../lab/command-line/run-steward.ts";
import { problem, runAgainst, startAgent } from "../../../lab/command-line/scripted-agent.ts";

const settings = {
  device: { name: "gate", location: "", contact: "ops" },
  time: { mode: "auto", servers: ["a.example", "b.example"], min_agreeing: null, panic_threshold: "1000s" },
  update: { ota: { enabled: false, channel: "stable" }, windows: [] },
};

describe("steward system get", { concurrency: true }, () => {
  const answers = { "GET /api/system": { body: settings } };

  it("prints every setting by its dotted key, as `system set` takes it", async (test) => {
    const { code, stdout } = await runAgainst(test, "system get", answers);
    assert.equal(code, 0);
    assert.match(stdout, /^device\.name=gate$/m);
    assert.match(stdout, /^time\.servers=a\.example,b\.example$/m);
    assert.match(stdout, /^time\.min_agreeing=null$/m);
    assert.match(stdout, /^update\.ota\.enabled=false$/m);
  });

  const parts: [args: string[], stdout: string][] = [
    [["device.name"], "gate\n"],
    [["device.location"], "\n"],
    [["device"], "device.name=gate\ndevice.location=\ndevice.contact=ops\n"],
    [["update.ota", "-o", "json"], '{\n  "enabled": false,\n  "channel": "stable"\n}\n'],
    [["device.name", "-o", "json"], '"gate"\n'],
  ];
  for (const [args, expected] of parts) {
    it(`prints ${JSON.stringify(expected)} for ${args.join(" ")}`, async (test) => {
      const { code, stdout } = await runAgainst(test, ["system", "get", ...args], answers);
      assert.deepEqual([code, stdout], [0, expected]);
    });
  }

  it("ends with 6 and names near keys when there is no such setting", async (test) => {
    const { code, stderr } = await runAgainst(test, "system get device.nme", answers);
    assert.equal(code, 6);
    assert.match(stderr, /no setting "device\.nme"\. Near: device\.name/);
  });

  it("ends with 4 for a setting that the role does not see", async (test) => {
    const { code, stderr } = await runAgainst(test, "system get update.ota.server", answers);
    assert.equal(code, 4);
    assert.match(stderr, /hidden from this role/);
  });
});

describe("steward system set", { concurrency: true }, () => {
  const former = { ...settings, device: { ...settings.device, name: "former" } };
  const answers = { "GET /api/system": { body: former }, "PUT /api/system": { body: settings } };

  it("sends all pairs as one change and prints which are other than before", async (test) => {
    const { socketPath, received } = await startAgent(test, answers);
    const pairs = ["update.ota.channel=stable", "device.name=gate"];
    const { code, stdout } = await runSteward(["system", "set", ...pairs, "--socket", socketPath]);
    assert.deepEqual([code, stdout], [0, "device.name=gate\n"]);
    const body = { update: { ota: { channel: "stable" } }, device: { name: "gate" } };
    assert.deepEqual(received.at(-1)?.body, body);
  });

  it("works with a token that may write and not read, and says what it cannot know", async (test) => {
    const refusal = problem({ code: "insufficient_scope", status: 403 });
    const { socketPath } = await startAgent(test, { ...answers, "GET /api/system": refusal });
    const run = (...words: string[]) =>
      runSteward(["system", "set", "device.name=gate", "--socket", socketPath, ...words]);
    assert.match((await run()).stderr, /may not read whether they had them before/);
    assert.deepEqual(JSON.parse((await run("-o", "json")).stdout), { changed: null });
  });

  it("sends nothing when one of the keys is unknown", async (test) => {
    const { code, received } = await runAgainst(test, "system set device.name=x device.nme=y", {
      "PUT /api/system": { body: settings },
    });
    assert.equal(code, 6);
    assert.deepEqual(received, []);
  });
});

describe("steward system schema", () => {
  it("prints a row for each setting", async (test) => {
    const channel = {
      type: "string",
      default: "stable",
      "x-writer": "admin",
      description: "release channel",
    };
    const mode = { type: "string", enum: ["auto", "manual"], default: "auto", "x-writer": "admin" };
    const body = { type: "object", properties: { ota: { type: "object", properties: { channel } }, mode } };
    const { stdout } = await runAgainst(test, "system schema", { "GET /api/system/schema": { body } });
    assert.equal(
      stdout,
      "KEY          TYPE         DEFAULT  WRITER  MEANING\n" +
        "ota.channel  string       stable   admin   release channel\n" +
        "mode         auto|manual  auto     admin   -\n",
    );
  });
});

describe("steward system facts", () => {
  it("prints figures as people read them, and a dash for unknown ones", async (test) => {
    const body = {
      hostname: "gate",
      time_zone: "Europe/Berlin",
      manufacturer: null,
      model: "Box 1",
      cpu: { model: null, cores: 4 },
      memory: { total_bytes: 2 ** 31, available_bytes: 2 ** 29, swap_total_bytes: 0, swap_free_bytes: 0 },
      disks: [{ mount: "/", type: "ext4", size_bytes: 2 ** 40, available_bytes: 1000 }],
      load: [0.5, 0.25, 0],
      temperatures: [
        { sensor: "cpu", celsius: 41.5 },
        { sensor: "board", celsius: null },
      ],
      uptime_seconds: 93_784,
      network: {
        interfaces: [
          { name: "lan0", mac: "02:00:00:00:00:07", addresses: ["192.0.2.7/24", "2001:db8::7/64"] },
        ],
        gateways: ["192.0.2.1"],
        name_servers: [],
      },
      services: [{ unit: "pump.service", state: "active" }],
    };
    const { stdout } = await runAgainst(test, "system facts", { "GET /api/system/facts": { body } });
    assert.equal(
      stdout,
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
    );
  });
});
