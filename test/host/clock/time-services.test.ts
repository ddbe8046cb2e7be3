import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { type Owner, temporaryDirectory } from "../../../lab/host/journal.ts";
import { createTimeServices } from "../../../src/host/linux/clock/time-services.ts";

/** The daemon of a tree of cgroups with these files: `SERVICE=1` has processes with cgroup v2, `=0` has none any more. */
function activeDaemon(test: Owner, files: readonly string[]) {
  const root = temporaryDirectory(test);
  for (const file of files) {
    const [place = "", text = ""] = file.split("=");
    const path = join(root, place.includes("/") ? place : `system.slice/${place}.service/cgroup.events`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, place.endsWith("procs") ? text : `populated ${text}\nfrozen 0\n`);
  }
  return createTimeServices(root).activeDaemon();
}

describe("the active time daemon", () => {
  const rows: [files: string[], daemon: string | null, hierarchy?: string][] = [
    [["chrony=1"], "chronyd"],
    [["chronyd=1"], "chronyd"],
    [["systemd-timesyncd=1"], "systemd-timesyncd"],
    [["ntp=1"], "ntpd"],
    [["ntpsec=1"], "ntpd"],
    [["openntpd=1"], "openntpd"],
    [["ntpd-rs=1"], "ntpd-rs"],
    [["unified/system.slice/chrony.service/cgroup.events=1"], "chronyd", "in the hybrid hierarchy"],
    [["systemd/system.slice/chrony.service/cgroup.procs=731\n735\n"], "chronyd", "with cgroup v1"],
    [
      [
        "systemd/system.slice/ntpd.service/cgroup.procs=",
        "systemd/system.slice/ntpd.service/worker/cgroup.procs=88\n",
      ],
      "ntpd",
      "with processes in a cgroup below its own",
    ],
    [[], null],
    [["chrony=0"], null],
    [["systemd/system.slice/chrony.service/cgroup.procs="], null, "with cgroup v1"],
    [["cron=1"], null],
    [["system.slice/chrony.service2/cgroup.events=1"], null, "whose name only begins so"],
    [["chrony=0", "systemd-timesyncd=1"], "systemd-timesyncd"],
  ];
  for (const [files, daemon, hierarchy = ""] of rows)
    it(`is ${daemon} with ${files.join(" and ").trim()} ${hierarchy}`.trim(), async (test) => {
      assert.equal(await activeDaemon(test, files), daemon);
    });
});
