import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  canonicalAddress,
  clientKeyOf,
  isLoopback,
  siteOf,
} from "../../../src/accounts/throttle/client-key.ts";
import { createKnownClients } from "../../../src/accounts/throttle/known-clients.ts";

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

const day = 86_400;

describe("known clients", () => {
  it("are those of a success in the last 30 days, for that account", () => {
    const known = createKnownClients([]);
    assert.equal(known.add("ana", "home", 0), true);
    assert.equal(known.isKnown("ana", "home", 30 * day - 1), true);
    assert.equal(known.isKnownAtAll("home", 30 * day - 1), true);
    assert.equal(known.isKnown("ana", "home", 30 * day), false);
    assert.equal(known.isKnownAtAll("home", 30 * day), false);
    assert.equal(known.isKnown("bob", "home", 1), false);
    assert.equal(known.isKnown("ana", "away", 1), false);
  });

  it("stay known by each success", () => {
    const known = createKnownClients([]);
    known.add("ana", "home", 0);
    assert.equal(known.add("ana", "home", 20 * day), false);
    assert.equal(known.isKnown("ana", "home", 49 * day), true);
  });

  it("are the latest sixteen of an account (one valid account fills no table)", () => {
    const known = createKnownClients([]);
    known.add("ana", "home", 0);
    for (let count = 0; count < 5_000; count += 1) known.add("mallory", `client${count}`, count);
    assert.equal(known.entries(5_000).length, 17);
    assert.equal(known.isKnown("ana", "home", 5_000), true);
    assert.equal(known.isKnown("mallory", "client4999", 5_000), true);
    assert.equal(known.isKnown("mallory", "client4983", 5_000), false);
    assert.equal(known.isKnownAtAll("client4984", 5_000), true);
    assert.equal(known.isKnownAtAll("client4983", 5_000), false);
  });

  it("are 2,048 in all: the one longest without a success makes room", () => {
    const known = createKnownClients([]);
    for (let count = 0; count < 2_049; count += 1) known.add(`user${count}`, "home", count);
    assert.equal(known.entries(2_049).length, 2_048);
    assert.equal(known.isKnown("user0", "home", 2_049), false);
    assert.equal(known.isKnown("user1", "home", 2_049), true);
  });

  it("go with their account, and are still known for others", () => {
    const known = createKnownClients([{ account: "ana", client: "home", at: 5 }]);
    known.add("bob", "home", 6);
    known.forget("ana");
    assert.deepEqual(known.entries(7), [{ account: "bob", client: "home", at: 6 }]);
    assert.equal(known.isKnownAtAll("home", 7), true);
    known.forget("bob");
    assert.equal(known.isKnownAtAll("home", 7), false);
  });
});
