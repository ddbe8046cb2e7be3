import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { resolveServer } from "../../../src/clock/ntp/resolve-server.ts";
import { serverAddress, shiftReach } from "../../../src/clock/ntp/source.ts";

describe("the address of a server", () => {
  for (const [text, host, port] of [
    ["ntp.example", "ntp.example", 123],
    ["192.0.2.1:124", "192.0.2.1", 124],
    ["[2001:db8::1]", "2001:db8::1", 123],
    ["[fe80::1%eth0]", "fe80::1%eth0", 123],
    ["[fe80::1%25eth0]:124", "fe80::1%eth0", 124],
    ["[fe80::1%25]", "fe80::1%25", 123],
    ["ntp_1.example.:124", "ntp_1.example.", 124],
  ] as const)
    it(`reads ${text}`, () => assert.deepEqual(serverAddress(text), { host, port }));
});

describe("a name without an address", () => {
  // The codes with which Node's resolver rejects (getaddrinfo(3)), and its own look-up when it waits no longer.
  for (const [code, failure] of [
    ["ENOTFOUND", "name_not_found"],
    ["EAI_AGAIN", "name_not_answered"],
    ["ETIMEOUT", "name_not_answered"],
  ] as const)
    it(`is ${failure} where the resolver says ${code}`, async () => {
      const resolve = () => Promise.reject(Object.assign(new Error(code), { code }));
      const target = { host: "ntp.example", port: 123 };
      assert.deepEqual(await resolveServer({ resolve, isLocalAddress: () => false }, target), { failure });
    });
});

it("the reach register takes each poll in as its lowest bit, and forgets it after eight more", () => {
  // chronyc shows 17 (octal) after four answers and 36 after a fifth that was lost.
  const four = [true, true, true, true].reduce(shiftReach, 0);
  assert.deepEqual([four, shiftReach(four, false), shiftReach(0o377, true)], [0o17, 0o36, 0o377]);
  const lost = Array.from({ length: 8 }, () => false);
  assert.deepEqual([lost.slice(1).reduce(shiftReach, 1), lost.reduce(shiftReach, 1)], [0o200, 0]);
});
