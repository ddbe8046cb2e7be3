import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { resolveServer } from "../../../src/clock/ntp/resolve-server.ts";

/** The codes with which Node's resolver rejects (getaddrinfo(3)), and its own look-up when it waits no longer. */
const failures: Readonly<Record<string, string>> = {
  ENOTFOUND: "name_not_found",
  EAI_AGAIN: "name_not_answered",
  ETIMEOUT: "name_not_answered",
};

describe("a name without an address", () => {
  for (const [code, failure] of Object.entries(failures)) {
    it(`is ${failure} where the resolver says ${code}`, async () => {
      const resolve = () => Promise.reject(Object.assign(new Error(code), { code }));
      const target = { host: "ntp.example", port: 123 };
      assert.deepEqual(await resolveServer({ resolve, isLocalAddress: () => false }, target), { failure });
    });
  }
});
