import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createKnownClients } from "../../../src/accounts/throttle/known-clients.ts";

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
