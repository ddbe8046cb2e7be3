import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseAssignments } from "../../../src/cli/system/setting-change.ts";
import { CommandError } from "../../../src/terminal/command-error.ts";

describe("parseAssignments", () => {
  describe("when an assignment is wrong", () => {
    const wrong: [assignment: string, exit: number, message: RegExp][] = [
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
    ];
    for (const [assignment, exit, message] of wrong) {
      it(`refuses ${assignment} with exit ${exit}`, () => {
        assert.throws(
          () => parseAssignments([assignment]),
          (error) => error instanceof CommandError && error.exitCode === exit && message.test(error.message),
        );
      });
    }

    it("refuses the same key twice", () => {
      assert.throws(
        () => parseAssignments(["device.name=a", "device.name=b"]),
        /device\.name is given twice/,
      );
    });
  });

  const typed: [assignment: string, change: object][] = [
    ["device.name=true", { device: { name: "true" } }],
    ["device.name=a=b", { device: { name: "a=b" } }],
    ["device.name=", { device: { name: "" } }],
    ["update.ota.check_interval=90", { update: { ota: { check_interval: "90" } } }],
    ["update.ota.enabled=false", { update: { ota: { enabled: false } } }],
    ["security.password_min_length=20", { security: { password_min_length: 20 } }],
    ["time.min_agreeing=null", { time: { min_agreeing: null } }],
    ["time.min_agreeing=2", { time: { min_agreeing: 2 } }],
    ["time.min_agreeing=", { time: { min_agreeing: null } }],
    ["update.ota.enabled=yes", { update: { ota: { enabled: true } } }],
    ["time.servers=a.example, b.example", { time: { servers: ["a.example", "b.example"] } }],
    ["time.servers=[2001:db8::1]:123", { time: { servers: ["[2001:db8::1]:123"] } }],
    [
      'time.servers=["a.example",{"host":"b.example","nts":true}]',
      { time: { servers: ["a.example", { host: "b.example", nts: true }] } },
    ],
    ["time.servers=", { time: { servers: [] } }],
    ['update.ota={"enabled":true}', { update: { ota: { enabled: true } } }],
    [
      'time.servers=["a.example","[2001:db8::1]:123"]',
      { time: { servers: ["a.example", "[2001:db8::1]:123"] } },
    ],
  ];
  for (const [assignment, change] of typed) {
    it(`takes ${assignment} by the schema's type`, () => {
      assert.deepEqual(parseAssignments([assignment]).change, change);
    });
  }

  it("joins several into one change", () => {
    const { change, keys } = parseAssignments([
      "update.ota.channel=beta",
      "device.name=x",
      "update.ota.enabled=true",
    ]);
    assert.deepEqual(change, { update: { ota: { channel: "beta", enabled: true } }, device: { name: "x" } });
    assert.deepEqual(keys, ["update.ota.channel", "device.name", "update.ota.enabled"]);
  });
});
