import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { serverAddress } from "../../../src/clock/ntp/source.ts";

describe("the address of a server", () => {
  for (const [text, host, port] of [
    ["ntp.example", "ntp.example", 123],
    ["ntp.example:1123", "ntp.example", 1_123],
    ["192.0.2.1", "192.0.2.1", 123],
    ["192.0.2.1:124", "192.0.2.1", 124],
    ["[2001:db8::1]", "2001:db8::1", 123],
    ["[2001:db8::1]:124", "2001:db8::1", 124],
    ["[fe80::1%eth0]", "fe80::1%eth0", 123],
    ["[fe80::1%25eth0]:124", "fe80::1%eth0", 124],
    ["[fe80::1%25]", "fe80::1%25", 123],
    ["ntp_1.example.:124", "ntp_1.example.", 124],
  ] as const) {
    it(`reads ${text}`, () => assert.deepEqual(serverAddress(text), { host, port }));
  }
});
