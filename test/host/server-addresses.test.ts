import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isLocalAddress } from "../../src/host/linux/server-addresses.ts";

describe("an address", () => {
  for (const address of [
    "",
    "server.example",
    "127.0.0.1:80",
    "169.254.0.1",
    "fe80::1%eth0",
    "::ffff:a9fe:1",
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
    "192.0.2.1",
    "2001:db8::1",
  ]) {
    it(`${address} is not local`, () => {
      assert.equal(isLocalAddress(address), false);
    });
  }
});
