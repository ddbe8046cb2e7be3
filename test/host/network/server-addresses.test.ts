import assert from "node:assert/strict";
import { networkInterfaces } from "node:os";
import { describe, it } from "node:test";
import { isLocalAddress, ownAddresses } from "../../../src/host/linux/network/server-addresses.ts";

describe("an address", () => {
  for (const address of [
    "",
    "server.example",
    "127.0.0.1:80",
    "169.254.0.1",
    "fe80::1%eth0",
    "::ffff:a9fe:1",
    // Metadata services of clouds.
    "100.100.100.200",
    "fd00:ec2::254",
    "::ffff:100.100.100.200",
    // 6to4: the address follows 2002.
    "2002:7f00:1::1",
    "2002:a9fe:a9fe::",
    "2002:0:1::",
    // NAT64, by the well-known prefix and by local ones of every length.
    "64:ff9b::127.0.0.1",
    "64:ff9b::6464:64c8",
    "64:ff9b::0.0.0.0",
    "64:ff9b:1::169.254.169.254",
    "64:ff9b:7f00:1::",
    "64:ff9b:17f:0:1::",
    "64:ff9b:1:7f00:0:100::",
    "64:ff9b:1:a9fe:7::",
    "64:ff9b:1:7f:0:1::",
    "64:ff9b:1:2:7f:0:c800:0",
    // SIIT, and IPv4-compatible.
    "::ffff:0:127.0.0.1",
    "::127.0.0.1",
  ]) {
    it(`${JSON.stringify(address)} is local`, () => {
      assert.equal(isLocalAddress(address), true);
    });
  }

  // Private networks are where appliances and their mirrors live.
  for (const address of [
    "10.1.2.3",
    "172.16.0.1",
    "192.168.0.9",
    "fd00::1",
    "::ffff:10.1.2.3",
    "100.100.100.201",
    "fd00:ec3::254",
    "2002:c000:201::1",
    "64:ff9b::c000:201",
    "64:ff9b::10.0.0.7",
    "64:ff9b:1::c000:201",
    "64:ff9b:1:c000:2:100::",
    "64:ff9b:1:2:c0:2:100:0",
    "192.0.2.1",
    "2001:db8::1",
  ]) {
    it(`${address} is not local`, () => {
      assert.equal(isLocalAddress(address), false);
    });
  }

  it("of this device is local, in every form that holds it (a server's name that leads back here)", () => {
    const own = new Set(["192.0.2.7", "2001:db8::7"]);
    for (const address of [
      "192.0.2.7",
      "::ffff:192.0.2.7",
      "::ffff:c000:207",
      "64:ff9b::c000:207",
      "2002:c000:207::",
      "2001:db8::7",
      "2001:0db8:0::0007",
    ]) {
      assert.equal(isLocalAddress(address, own), true, address);
    }
    for (const address of ["192.0.2.8", "2001:db8::8"]) {
      assert.equal(isLocalAddress(address, own), false, address);
    }
  });

  it("of every interface that this machine has is one of its own", () => {
    const own = ownAddresses();
    for (const { address } of Object.values(networkInterfaces()).flatMap((all) => all ?? [])) {
      assert.equal(isLocalAddress(address, own), true, address);
    }
    assert.ok(own.has("127.0.0.1"));
  });
});
