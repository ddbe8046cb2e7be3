import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { type Owner, temporaryDirectory } from "../../../lab/host/journal.ts";
import { readOfferedServers } from "../../../src/host/linux/clock/offered-servers.ts";
import { readRealTimeClock } from "../../../src/host/linux/clock/real-time-clock.ts";
import { createTimeServices } from "../../../src/host/linux/clock/time-services.ts";

/** The file of systemd-networkd 252 after a DHCP answer of another networkd with `NTP=192.0.2.1 198.51.100.7`. */
const stateFile = (ntp: string) => `# This is private data. Do not parse.
OPER_STATE=routable
CARRIER_STATE=carrier
ADDRESS_STATE=routable
IPV4_ADDRESS_STATE=routable
IPV6_ADDRESS_STATE=degraded
ONLINE_STATE=online
NTP=${ntp}
`;

function fileWith(text: string): string {
  const path = join(scratchDirectory(), "state");
  writeFileSync(path, text);
  return path;
}

describe("the time servers that the network offers", () => {
  it("are those that networkd has been given", () => {
    const path = fileWith(stateFile("192.0.2.1 198.51.100.7"));
    assert.deepEqual(readOfferedServers(path), ["192.0.2.1", "198.51.100.7"]);
  });

  it("are in the form of time.servers, each once, and as many as that may have", () => {
    const names = Array.from({ length: 20 }, (_, n) => `ntp${n}.example`);
    const path = fileWith(stateFile(["2001:db8::1", "ntp0.example", ...names].join(" ")));
    assert.deepEqual(readOfferedServers(path), ["[2001:db8::1]", ...names.slice(0, 7)]);
  });

  it("are none that could not be a time server", () => {
    const bad = [...'-x a..b <b> $(id) fe80::1 0.0.0.0 :: a/b "'.split(" "), `${"a".repeat(64)}.example`, ""];
    assert.deepEqual(readOfferedServers(fileWith(stateFile(bad.join(" ")))), []);
  });

  it("are none where networkd says nothing of them, or more than a device can have", () => {
    const others = stateFile("").replace(/^NTP=.*\n/m, "DNS=192.0.2.1\nXNTP=192.0.2.2\n");
    for (const text of ["", others, stateFile(""), `${stateFile("192.0.2.1")}${"#".repeat(65_536)}`])
      assert.deepEqual(readOfferedServers(fileWith(text)), []);
  });

  it("are none where another thing is in the place of the file, which it does not wait for", () => {
    const fifo = join(scratchDirectory(), "state");
    execFileSync("mkfifo", [fifo]);
    for (const path of [fifo, scratchDirectory(), "/nowhere/state"])
      assert.deepEqual(readOfferedServers(path), []);
  });
});

describe("the battery-backed clock", () => {
  // date -u -d @1577836800: 2020-01-01.
  const texts: [string | null, Date | null][] = [
    ["1577836800\n", new Date("2020-01-01T00:00:00Z")],
    ...[null, "", "\n", "-5\n", "soon\n", "1577836800.5\n", "1577836800 1\n", "99999999999999999999\n"].map(
      (text): [string | null, null] => [text, null],
    ),
  ];
  for (const [text, expected] of texts)
    it(`is ${expected?.toISOString() ?? "none"} where the kernel says ${JSON.stringify(text)}`, () => {
      const path = join(scratchDirectory(), "since_epoch");
      if (text !== null) writeFileSync(path, text);
      assert.deepEqual(readRealTimeClock(path), expected);
    });
});

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
