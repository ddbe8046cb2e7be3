import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { temporaryDirectory } from "../../lab/basics/ending.ts";
import type { Facts } from "../../src/contract/types.ts";

const root = join(import.meta.dirname, "../..");

/** A network of two interfaces in a namespace of its own, made by ip(8); the second one has no address. */
const network = `
ip link set lo up
ip link add lan0 address 02:00:00:00:00:07 type veth peer name lan1
ip link set lan0 up addrgenmode none
ip link set lan1 up addrgenmode none
ip addr add 192.0.2.10/24 dev lan0
ip addr add 198.51.100.7/32 dev lan0
ip -6 addr add 2001:db8::10/64 dev lan0 nodad
ip route add 203.0.113.0/24 via 192.0.2.2
`;

const defaults = `
ip route add default via 192.0.2.1
ip -6 route add default via 2001:db8::1
`;

/** The facts as the module reads them after the script, in the namespaces. */
function factsAfter(script: string): Facts["network"] {
  const code = `import("${root}/src/system/network-facts.ts").then(async ({ readNetwork }) => console.log(JSON.stringify(await readNetwork())))`;
  const words = [process.execPath, "--import", "tsx", "--input-type=module", "-e", code];
  const text = `set -e\n${script}\nexec "$@"`;
  const options = ["--net", "--mount", "--propagation", "private", "sh", "-c", text, "sh", ...words];
  return JSON.parse(execFileSync("unshare", options, { cwd: root, encoding: "utf8", stdio: "pipe" }));
}

describe("the facts of the network", { skip: process.getuid?.() !== 0 && "namespaces need root" }, () => {
  it("are the addresses by interface, the default gateways and the name servers", async (test) => {
    const file = join(await temporaryDirectory(test), "resolv.conf");
    writeFileSync(
      file,
      "# nameserver 192.0.2.99\nnameserver 192.0.2.53\nsearch example.net\nnameserver 2001:db8::53\n",
    );
    const found = factsAfter(`${network}${defaults}mount --bind ${file} /etc/resolv.conf`);
    assert.deepEqual(found, {
      interfaces: [
        {
          name: "lan0",
          mac: "02:00:00:00:00:07",
          addresses: ["192.0.2.10/24", "198.51.100.7/32", "2001:db8::10/64"],
        },
      ],
      gateways: ["192.0.2.1", "2001:db8::1"],
      name_servers: ["192.0.2.53", "2001:db8::53"],
    });
  });

  it("name no gateway where there is no default route, and the servers behind systemd-resolved", async (test) => {
    const directory = await temporaryDirectory(test);
    writeFileSync(join(directory, "stub"), "nameserver 127.0.0.53\noptions edns0\n");
    writeFileSync(join(directory, "asked"), "nameserver 192.0.2.53\n");
    const resolved = `
mount --bind ${directory}/stub /etc/resolv.conf
mount -t tmpfs tmpfs /run
mkdir -p /run/systemd/resolve
cp ${directory}/asked /run/systemd/resolve/resolv.conf`;
    const { gateways, name_servers } = factsAfter(`${network}${resolved}`);
    assert.deepEqual([gateways, name_servers], [[], ["192.0.2.53"]]);
  });
});
