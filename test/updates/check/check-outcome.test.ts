import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ErrorCode } from "../../../src/contract/error-codes.ts";
import { StewardError } from "../../../src/contract/errors.ts";
import { select } from "../../../src/releases/selection.ts";
import { type UpdateRecord, updateRecordKind } from "../../../src/releases/update-record.ts";
import {
  type CheckReport,
  type CheckResult,
  failedResult,
  isWorthWriting,
  recordAfter,
} from "../../../src/updates/check/check-outcome.ts";
import { type Custom, offer } from "../offers.ts";

const server = "https://updates.example";
const fresh: UpdateRecord = { ...updateRecordKind.defaults, seed: "ab".repeat(16) };

function reportOf(result: CheckResult, isServer = true): CheckReport {
  const source = { url: isServer ? server : "file:///media/stick", isServer };
  const at = new Date("2026-11-20T12:00:00Z");
  return { result, at, requests: 2, bodyBytes: 600, source, fingerprint: "f".repeat(64) };
}

function good(...offers: Custom[]): CheckResult {
  const selection = select(
    offers.map((one) => offer(one)),
    {
      product: "demo",
      arch: "x64",
      agentVersion: "0.1.0",
      channel: "stable",
      installed: { rules: null, binary: null },
      floors: {},
      failed: new Set(),
      held: new Set(),
    },
  );
  const validators = { etag: '"1"', last_modified: null };
  const blockers = { rules: null, binary: null };
  return { outcome: "ok", selection, validators, blockers, isConsistentSnapshot: true };
}

function bad(code: ErrorCode, outcome: "failed" | "waiting_for_clock" = "failed"): CheckResult {
  return { outcome, error: new StewardError(code, "It did not work.") };
}

function after(...results: CheckResult[]): { record: UpdateRecord; told: string[] } {
  let record = fresh;
  const told: string[] = [];
  for (const result of results) {
    const next = recordAfter(record, reportOf(result));
    record = next.record;
    told.push(...next.events.map(({ type }) => type));
  }
  return { record, told };
}

describe("what a failure means", () => {
  const expired = new StewardError("update_metadata_expired", "Expired.");
  const certificate = new StewardError("update_server_unreachable", "Too early.", {
    details: { reason: "certificate_date" },
  });

  it("is a doubt where it is about dates and the clock is not trusted", () => {
    for (const error of [expired, certificate]) {
      assert.equal(failedResult(error, false).outcome, "waiting_for_clock");
      assert.equal(failedResult(error, true).outcome, "failed");
    }
  });

  it("is a failure where it is about anything else", () => {
    const error = new StewardError("update_server_unreachable", "No connection.");
    assert.equal(failedResult(error, false).outcome, "failed");
  });

  it("is internal_error where it is unexpected", () => {
    assert.equal(failedResult(new TypeError("oops"), true).error.code, "internal_error");
  });
});

describe("the record after a check", () => {
  it("has what was found, the proof, and what to ask the server with next time", () => {
    const { record, told } = after(good({ version: "1.1.0", floor: "1.0.0" }));
    assert.equal(record.available.rules?.version, "1.1.0");
    assert.deepEqual(record.proof, { fingerprint: "f".repeat(64), server });
    assert.deepEqual(record.validators, { server, etag: '"1"', last_modified: null });
    assert.deepEqual(record.floors, { "rules/base": "1.0.0" });
    assert.deepEqual(told, ["update.available"]);
  });

  it("tells of a release once, also when another one was offered in between", () => {
    const { told } = after(
      good({ version: "1.1.0" }),
      good({ version: "1.2.0" }),
      good({ version: "1.1.0" }),
    );
    assert.deepEqual(told, ["update.available", "update.available"]);
  });

  it("remembers a bounded number of releases that it has told of", () => {
    const { record } = after(...Array.from({ length: 40 }, (_, minor) => good({ version: `1.${minor}.0` })));
    assert.equal(record.announced.length, 16);
  });

  it("keeps all that was known when a check fails", () => {
    const { record } = after(good({ version: "1.1.0", floor: "1.0.0" }), bad("update_signature_invalid"));
    const before = after(good({ version: "1.1.0", floor: "1.0.0" })).record;
    const { last_check, failures, ...rest } = record;
    const { last_check: _, failures: __, ...known } = before;
    assert.deepEqual(rest, known);
    assert.deepEqual([last_check?.code, failures], ["update_signature_invalid", 1]);
  });

  it("tells of a failure once for each change of its code, and of the recovery", () => {
    const [a, b] = [bad("update_server_unreachable"), bad("update_too_slow")];
    assert.deepEqual(after(a, a, b, b, a, good()).told, [
      "update.check_failed",
      "update.check_failed",
      "update.check_failed",
      "update.check_recovered",
    ]);
  });

  it("counts no doubt about the clock, and recovers after it all the same", () => {
    const doubt = bad("update_metadata_expired", "waiting_for_clock");
    const { record, told } = after(bad("update_too_slow"), doubt, good());
    assert.deepEqual(told, ["update.check_failed", "update.check_recovered"]);
    assert.equal(record.failures, 0);
    assert.equal(after(doubt).record.failures, 0);
  });

  it("is proof of a server, and counts against one, where it was the server's alone", () => {
    const ofStick = recordAfter(fresh, reportOf(good({ version: "1.1.0" }), false)).record;
    assert.deepEqual([ofStick.proof, ofStick.validators], [null, null]);
    assert.equal(ofStick.available.rules?.version, "1.1.0");
    assert.equal(recordAfter(fresh, reportOf(bad("update_too_slow"), false)).record.failures, 0);
  });

  it("holds no validator and no detail that is too long for it", () => {
    const result = { ...good(), validators: { etag: "e".repeat(2_000), last_modified: null } };
    assert.equal(recordAfter(fresh, reportOf(result)).record.validators, null);
    const error = new StewardError("update_server_refused", "x".repeat(5_000));
    const { last_check } = recordAfter(fresh, reportOf({ outcome: "failed", error })).record;
    assert.equal(last_check?.detail?.length, 1_000);
  });
});

describe("a change of the record", () => {
  it("is worth a write where something came of the check, and none where it was like the last one", () => {
    const first = after(good({ version: "1.1.0" })).record;
    const second = after(good({ version: "1.1.0" }), good({ version: "1.1.0" })).record;
    assert.equal(isWorthWriting(fresh, first), true);
    assert.equal(isWorthWriting(first, { ...second, last_success_at: "2027-01-01T00:00:00.000Z" }), false);
    const failed = after(bad("update_too_slow")).record;
    assert.equal(isWorthWriting(first, failed), true);
    assert.equal(isWorthWriting(failed, after(bad("update_too_slow"), bad("update_too_slow")).record), false);
    assert.equal(isWorthWriting(failed, after(bad("update_too_slow"), bad("update_too_large")).record), true);
  });
});
