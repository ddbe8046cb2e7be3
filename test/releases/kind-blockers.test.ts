import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { offer } from "../../lab/publisher/offers.ts";
import { StewardError } from "../../src/contract/errors.ts";
import {
  blockersOf,
  failureOfAll,
  listKinds,
  noBlockers,
  refusalOfKind,
} from "../../src/releases/kind-blockers.ts";
import type { Refreshed } from "../../src/tuf/client.ts";

const expired = new StewardError("update_metadata_expired", "It has expired.");
const unsigned = new StewardError("update_signature_invalid", "It is signed by others.");

describe("a kind that is blocked", () => {
  it("is told for itself, and an expiry only where the clock is trusted", () => {
    const failures = { rules: expired, binary: unsigned };
    assert.deepEqual(blockersOf(failures, true), {
      rules: { code: "update_metadata_expired", detail: "It has expired." },
      binary: { code: "update_signature_invalid", detail: "It is signed by others." },
    });
    assert.equal(blockersOf(failures, false).rules?.code, "clock_not_synchronised");
    assert.equal(blockersOf(failures, false).binary?.code, "update_signature_invalid");
    for (const none of [noBlockers, blockersOf({ rules: null, binary: null }, true)])
      assert.deepEqual(none, { rules: null, binary: null });
  });

  it("stops all only together with the other, and both are told where they differ", () => {
    assert.equal(failureOfAll({ rules: expired, binary: null }), null);
    assert.equal(failureOfAll({ rules: null, binary: unsigned }), null);
    assert.equal(failureOfAll({ rules: expired, binary: expired }), expired);
    const both = failureOfAll({ rules: expired, binary: unsigned });
    assert.equal(both?.code, "update_metadata_expired");
    assert.equal(both?.message, "It has expired. It is signed by others.");
    assert.equal(both?.cause, unsigned);
  });

  it("leaves the other's releases on offer, and any other error is thrown", async () => {
    const list = (error: Error) => async (_: string, kind: string) => {
      if (kind === "rules") throw error;
      return [offer({ kind: "binary" })];
    };
    const listed = await listKinds({ list: list(unsigned) } as unknown as Refreshed, "stable");
    assert.deepEqual([listed.targets.length, listed.failures], [1, { rules: unsigned, binary: null }]);
    const full = new StewardError("storage_full", "The disk is full.");
    await assert.rejects(listKinds({ list: list(full) } as unknown as Refreshed, "stable"), full);
    assert.throws(() => refusalOfKind(new Error("a fault")), /a fault/);
  });
});
