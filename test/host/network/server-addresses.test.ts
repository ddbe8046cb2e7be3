import assert from "node:assert/strict";
import { networkInterfaces } from "node:os";
import { describe, it } from "node:test";
import {
  isLocalAddress,
  isLocalServer,
  ownAddresses,
} from "../../../src/host/linux/network/server-addresses.ts";

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
