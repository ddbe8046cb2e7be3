import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  canonicalAddress,
  clientKeyOf,
  isLoopback,
  siteOf,
} from "../../../src/accounts/throttle/client-key.ts";

/** As the router does with a peer's address. */
const keyOf = (text: string): string => clientKeyOf(canonicalAddress(text) ?? "");

describe("what attempts of an address are counted by", () => {
  const keys: [string, string, string | null][] = [
    ["192.0.2.7", "192.0.2.7", null],
    ["::ffff:192.0.2.7", "192.0.2.7", null],
    ["2001:DB8:1:2:3::4", "2001:db8:1:2::/64", "2001:db8:1::/48"],
    ["2001:db8::4", "2001:db8:0:0::/64", "2001:db8:0::/48"],
    ["fe80::1%eth0", "fe80:0:0:0::/64", "fe80:0:0::/48"],
    ["::2", "0:0:0:0::/64", "0:0:0::/48"],
    // IPv4-compatible (RFC 4291 §2.5.5.1): the dotted tail is of the last 32 bits.
    ["::192.0.2.7", "0:0:0:0::/64", "0:0:0::/48"],
    ["64:ff9b::192.0.2.7", "64:ff9b:0:0::/64", "64:ff9b:0::/48"],
    ["1:2:3:4:5:6:192.0.2.7", "1:2:3:4::/64", "1:2:3::/48"],
    ["1::2:3:4:5:6", "1:0:0:2::/64", "1:0:0::/48"],
    ["::ffff:1:2:3", "0:0:0:0::/64", "0:0:0::/48"],
    ["127.0.0.1", "loopback", null],
    ["127.255.255.254", "loopback", null],
    ["::ffff:127.0.0.2", "loopback", null],
    ["::1", "loopback", null],
    ["128.0.0.1", "128.0.0.1", null],
    ["10.127.0.1", "10.127.0.1", null],
    ["64:ff9b::127.0.0.1", "64:ff9b:0:0::/64", "64:ff9b:0::/48"],
    ["", "", null],
  ];
  for (const [address, client, site] of keys) {
    it(`of ${address || "a connection that is gone"}: ${client || "nothing"}, and ${site ?? "no site"}`, () => {
      assert.deepEqual([keyOf(address), siteOf(keyOf(address))], [client, site]);
    });
  }

  it("is one client for 127/8: 250 addresses of the device itself are not 250 attackers", () => {
    const clients = Array.from({ length: 250 }, (_, index) => keyOf(`127.0.${index}.1`));
    assert.deepEqual([...new Set(clients)], ["loopback"]);
  });

  it("is one site for the /64s of a /48, and another for its neighbour", () => {
    const sites = ["2001:db8:7::1", "2001:db8:7:ffff::1"].map((address) => siteOf(keyOf(address)));
    assert.equal(new Set(sites).size, 1);
    assert.notEqual(siteOf(keyOf("2001:db8:8::1")), sites[0]);
  });

  it("takes only loopback for loopback", () => {
    assert.deepEqual(["127.0.0.1", "::1"].map(isLoopback), [true, true]);
    assert.deepEqual(["126.0.0.1", "::", "::2", "1270.0.0.1", "local"].map(isLoopback), [
      false,
      false,
      false,
      false,
      false,
    ]);
  });
});
