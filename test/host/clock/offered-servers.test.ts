import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { readOfferedServers } from "../../../src/host/linux/clock/offered-servers.ts";

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
