import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { createLanNames } from "../../../src/host/linux/network/lan-names.ts";
import {
  isLocalAddress,
  isLocalServer,
  ownAddresses,
} from "../../../src/host/linux/network/server-addresses.ts";

/** As Avahi 0.8 and systemd-resolved 252 print it through busctl; lab/scenarios/https/lan-names.scenario.ts asks them. */
interface Daemons {
  /** undefined: it does not run. */
  readonly avahi?: string | undefined;
  readonly holder?: string;
  readonly resolved?: string;
}

const none = { own: [], taken: null };
const other = 'iisisu 3 0 "edge-7.local" 0 "192.0.2.8" 5\n';

const pump = { avahi: 's "pump.plant"\n' };
const resolvedAs = (name: string, mode: string): Daemons => ({ resolved: `s "${name}"\ns "${mode}"\n` });

const rows: [string, Daemons, own: string[], taken?: string][] = [
  ["no daemon", {}, []],
  ["Avahi has the usual name", { avahi: 's "Edge-7.local"\n' }, ["edge-7.local"]],
  ["another device has it", { avahi: 's "edge-8.local"\n', holder: other }, ["edge-8.local"], "edge-7.local"],
  ["Avahi was given a name, and none has the usual one", pump, ["pump.plant"]],
  ["this host has both", { ...pump, holder: other.replace("192.0.2.8", "127.0.0.1") }, ["pump.plant"]],
  ["resolved does not speak multicast DNS", resolvedAs("edge-76", "no"), []],
  ["resolved only asks", resolvedAs("edge-76", "resolve"), []],
  ["resolved has another name", resolvedAs("edge-76", "yes"), ["edge-76.local"], "edge-7.local"],
  ["each has another", { ...pump, ...resolvedAs("edge-7", "yes") }, ["pump.plant", "edge-7.local"]],
];

describe("the names of a host on the LAN", () => {
  /** The names as a host with these daemons has them; what they say may be changed. */
  function namesOf({ ...daemons }: { -readonly [Name in keyof Daemons]: Daemons[Name] }) {
    const directory = scratchDirectory();
    const places = { avahi: join(directory, "avahi"), resolved: join(directory, "resolved") };
    for (const name of ["avahi", "resolved"] as const)
      if (daemons[name] !== undefined) writeFileSync(places[name], "");
    const names = createLanNames(async (program, args) => {
      assert.deepEqual([program, args[0]], ["busctl", "--auto-start=no"]);
      const { avahi: GetHostNameFqdn, holder: ResolveHostName, resolved: LLMNRHostname } = daemons;
      const answers = { GetHostNameFqdn, ResolveHostName, LLMNRHostname };
      const stdout = Object.entries(answers).find(([word]) => args.includes(word))?.[1];
      return { status: stdout === undefined ? 1 : 0, stdout: stdout ?? "", stderr: "" };
    }, places);
    return { names, daemons };
  }

  for (const [what, daemons, own, taken = null] of rows)
    it(`are as its daemons have them: ${what}`, async () => {
      const { names } = namesOf(daemons);
      assert.deepEqual(names.present(), none);
      await names.look("edge-7.example.net");
      await names.seek();
      assert.deepEqual(names.present(), { own, taken });
    });

  it("are unknown where busctl is missing", async () => {
    const place = join(scratchDirectory(), "pid");
    writeFileSync(place, "");
    const names = createLanNames(() => Promise.reject(new Error("ENOENT")), {
      avahi: place,
      resolved: place,
    });
    await names.look("edge-7");
    assert.deepEqual(names.present(), none);
  });

  it("are not known to be taken any more once the daemon has another one", async () => {
    const { names, daemons } = namesOf({ avahi: 's "edge-8.local"\n', holder: other });
    await names.look("edge-7");
    await names.seek();
    assert.equal(names.present().taken, "edge-7.local");
    await names.look("edge-7");
    assert.equal(names.present().taken, "edge-7.local");
    daemons.avahi = 's "pump.plant"\n';
    await names.look("edge-7");
    assert.deepEqual(names.present(), { own: ["pump.plant"], taken: null });
  });
});

describe("an address", () => {
  const local = {
    "of no form": ["", "server.example", "127.0.0.1:80"],
    "of this device and its wire": ["169.254.0.1", "fe80::1%eth0", "::ffff:a9fe:1"],
    "of a cloud's metadata service": ["100.100.100.200", "fd00:ec2::254", "::ffff:100.100.100.200"],
    "in 6to4, which follows 2002": ["2002:7f00:1::1", "2002:a9fe:a9fe::", "2002:0:1::"],
    "in NAT64's well-known prefix": ["64:ff9b::127.0.0.1", "64:ff9b::6464:64c8", "64:ff9b::0.0.0.0"],
    "in NAT64's local prefixes of every length": [
      ...["64:ff9b:1::169.254.169.254", "64:ff9b:7f00:1::", "64:ff9b:17f:0:1::", "64:ff9b:1:7f00:0:100::"],
      ...["64:ff9b:1:a9fe:7::", "64:ff9b:1:64:64:64c8::", "64:ff9b:1:2:7f:0:c800:0"],
    ],
    "of SIIT, and IPv4-compatible": ["::ffff:0:127.0.0.1", "::127.0.0.1"],
  };
  const elsewhere = {
    // Private networks are where appliances and their mirrors live.
    "of a private network": ["10.1.2.3", "172.16.0.1", "192.168.0.9", "fd00::1", "::ffff:10.1.2.3"],
    "beside a metadata service": ["100.100.100.201", "fd00:ec3::254"],
    "in 6to4 and NAT64": [
      ...["2002:c000:201::1", "64:ff9b::c000:201", "64:ff9b::10.0.0.7", "64:ff9b:1::c000:201"],
      ...["64:ff9b:1:c000:2:100::", "64:ff9b:1:2:c0:2:100:0"],
    ],
    "of the Internet": ["192.0.2.1", "2001:db8::1"],
  };
  for (const [kinds, expected] of [
    [local, true],
    [elsewhere, false],
  ] as const)
    for (const [kind, addresses] of Object.entries(kinds))
      it(`${kind} is ${expected ? "" : "not "}local`, () => {
        for (const address of addresses) assert.equal(isLocalAddress(address), expected, address);
      });

  it("of this device is local, in every form that holds it (a server's name that leads back here)", () => {
    const own = new Set(["192.0.2.7", "2001:db8::7"]);
    const forms = "192.0.2.7 ::ffff:192.0.2.7 ::ffff:c000:207 64:ff9b::c000:207 2002:c000:207:: 2001:db8::7";
    for (const address of [...forms.split(" "), "2001:0db8:0::0007"])
      assert.equal(isLocalAddress(address, own), true, address);
    for (const address of ["192.0.2.8", "2001:db8::8"])
      assert.equal(isLocalAddress(address, own), false, address);
  });

  it("of every interface that this machine has is one of its own", () => {
    const own = ownAddresses();
    for (const { address } of Object.values(networkInterfaces()).flatMap((all) => all ?? []))
      assert.equal(isLocalAddress(address, own), true, address);
    assert.ok(own.has("127.0.0.1"));
  });
});

it("a server is on this host or its wire by its literal in any form, or by a name for it", () => {
  for (const server of [
    ...["http://127.0.0.1/", "https://127.255.255.254:8443/repo", "http://127.1:8080", "http://2130706433/"],
    ...["http://0x7f.0.0.1/", "http://0177.0.0.1/", "http://0.0.0.0:8080", "http://0/", "http://[::1]:8080/"],
    ...["http://[::]/", "http://[0:0:0:0:0:0:0:1]/", "http://[::ffff:127.0.0.1]/", "http://[febf::1]/"],
    ...["http://169.254.169.254/latest", "http://168.63.129.16/", "http://192.0.0.192/", "http://[fe80::1]/"],
    ...["http://localhost:8080/", "https://LOCALHOST./", "http://updates.localhost/"],
  ])
    assert.equal(isLocalServer(server), true, server);
  for (const server of [
    ...["", "https://updates.example.net/demo", "http://10.0.0.5/", "http://192.168.1.5:8080/"],
    ...["http://128.0.0.1/", "http://169.255.0.1/", "http://[fec0::1]/", "http://[fd00::1]/"],
    ...["http://[::ffff:10.0.0.1]/", "http://localhost.example.net/", "http://mylocalhost/"],
    "file:///mnt/stick/repository",
  ])
    assert.equal(isLocalServer(server), false, server);
});
