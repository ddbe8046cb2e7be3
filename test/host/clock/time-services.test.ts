import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { type Owner, temporaryDirectory } from "../../../lab/host/journal.ts";
import { createTimeServices } from "../../../src/host/linux/clock/time-services.ts";

/** A tree of cgroups with these files. */
function cgroupsWith(test: Owner, files: Record<string, string>): string {
  const root = temporaryDirectory(test);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

function activeDaemon(test: Owner, files: Record<string, string>) {
  return createTimeServices(cgroupsWith(test, files)).activeDaemon();
}

const populated = "populated 1\nfrozen 0\n";
const empty = "populated 0\nfrozen 0\n";

describe("the active time daemon", () => {
  const found: [string, Record<string, string>, string | null][] = [
    ["chrony.service with cgroup v2", { "system.slice/chrony.service/cgroup.events": populated }, "chronyd"],
    ["chronyd.service", { "system.slice/chronyd.service/cgroup.events": populated }, "chronyd"],
    [
      "systemd-timesyncd.service",
      { "system.slice/systemd-timesyncd.service/cgroup.events": populated },
      "systemd-timesyncd",
    ],
    ["ntp.service", { "system.slice/ntp.service/cgroup.events": populated }, "ntpd"],
    ["ntpsec.service", { "system.slice/ntpsec.service/cgroup.events": populated }, "ntpd"],
    ["openntpd.service", { "system.slice/openntpd.service/cgroup.events": populated }, "openntpd"],
    ["ntpd-rs.service", { "system.slice/ntpd-rs.service/cgroup.events": populated }, "ntpd-rs"],
    [
      "chrony.service in the hybrid hierarchy",
      { "unified/system.slice/chrony.service/cgroup.events": populated },
      "chronyd",
    ],
    [
      "chrony.service with cgroup v1",
      { "systemd/system.slice/chrony.service/cgroup.procs": "731\n735\n" },
      "chronyd",
    ],
    [
      "a daemon whose processes are in a cgroup below its own, with v1",
      {
        "systemd/system.slice/ntpd.service/cgroup.procs": "",
        "systemd/system.slice/ntpd.service/worker/cgroup.procs": "88\n",
      },
      "ntpd",
    ],
  ];
  for (const [what, files, expected] of found) {
    it(`is seen: ${what}`, async (test) => {
      assert.equal(await activeDaemon(test, files), expected);
    });
  }

  const unseen: [string, Record<string, string>][] = [
    ["no cgroups at all", {}],
    ["a unit whose processes have ended", { "system.slice/chrony.service/cgroup.events": empty }],
    ["the same with v1", { "systemd/system.slice/chrony.service/cgroup.procs": "" }],
    ["other units", { "system.slice/cron.service/cgroup.events": populated }],
    ["a unit with a name that only begins so", { "system.slice/chrony.service2/cgroup.events": populated }],
  ];
  for (const [what, files] of unseen) {
    it(`is none with ${what}`, async (test) => {
      assert.equal(await activeDaemon(test, files), null);
    });
  }

  it("is the one that runs, not one that has ended", async (test) => {
    const files = {
      "system.slice/chrony.service/cgroup.events": empty,
      "system.slice/systemd-timesyncd.service/cgroup.events": populated,
    };
    assert.equal(await activeDaemon(test, files), "systemd-timesyncd");
  });
});
