import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Custom, offer } from "../../../lab/publisher/offers.ts";
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

const server = "https://updates.example";
const fresh: UpdateRecord = { ...updateRecordKind.defaults, seed: "ab".repeat(16) };

function reportOf(result: CheckResult, isServer = true): CheckReport {
  const source = { url: isServer ? server : "file:///media/stick", isServer };
  const at = new Date("2026-11-20T12:00:00Z");
  return {
    id: `chk_${"1".repeat(32)}`,
    result,
    at,
    requests: 2,
    bodyBytes: 600,
    source,
    fingerprint: "f".repeat(64),
  };
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
  return { outcome: "ok", selection, patches: [], validators, blockers, isConsistentSnapshot: true };
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

  it("tells of a failure once for each change of its code, and of the recovery", () => {
    const [a, b] = [bad("update_server_unreachable"), bad("update_too_slow")];
    assert.deepEqual(after(a, a, b, b, a, good()).told, [
      "update.check_failed",
      "update.check_failed",
      "update.check_failed",
      "update.check_recovered",
    ]);
  });

  it("is proof of a server, and counts against one, where it was the server's alone", () => {
    const ofStick = recordAfter(fresh, reportOf(good({ version: "1.1.0" }), false)).record;
    assert.deepEqual([ofStick.proof, ofStick.validators], [null, null]);
    assert.equal(ofStick.available.rules?.version, "1.1.0");
    assert.equal(recordAfter(fresh, reportOf(bad("update_too_slow"), false)).record.failures, 0);
  });
});

describe("what a check tells, and what it keeps", () => {
  const expired = { code: "update_metadata_expired", detail: "It has expired." };
  const blocked = (
    blockers: { rules: typeof expired | null; binary: typeof expired | null },
    ...offers: Custom[]
  ) => ({ ...(good(...offers) as Extract<CheckResult, { outcome: "ok" }>), blockers });
  const next = (record: UpdateRecord, result: CheckResult, isServer = true) =>
    recordAfter(record, reportOf(result, isServer));

  it("are the facts of each event", () => {
    const found = next(fresh, good({ version: "1.1.0" }));
    const release_id = found.record.available.rules?.id ?? "";
    assert.deepEqual(found.events, [
      { type: "update.available", details: { release_id, kind: "rules", name: "base", version: "1.1.0" } },
    ]);
    assert.deepEqual(found.record.announced, [release_id]);
    const failed = next(found.record, bad("update_too_slow"));
    assert.deepEqual(failed.events, [
      { type: "update.check_failed", details: { code: "update_too_slow", detail: "It did not work." } },
    ]);
    const recovered = next({ ...failed.record, failures: 3 }, good({ version: "1.1.0" }));
    assert.deepEqual(recovered.events, [{ type: "update.check_recovered", details: { failures: 3 } }]);
    const ofStick = next({ ...failed.record, failures: 3 }, good({ version: "1.1.0" }), false);
    assert.deepEqual([ofStick.events, ofStick.record.failures], [[], 3]);
  });

  it("are the check itself, with its time and its cost", () => {
    const check = {
      id: `chk_${"1".repeat(32)}`,
      at: "2026-11-20T12:00:00.000Z",
      requests: 2,
      body_bytes: 600,
    };
    const ok = next(fresh, good()).record;
    assert.deepEqual(ok.last_check, { ...check, outcome: "ok", code: null, detail: null });
    assert.equal(ok.last_success_at, check.at);
    const failed = next(ok, bad("update_too_slow")).record;
    assert.deepEqual(failed.last_check, {
      ...{ ...check, outcome: "failed", code: "update_too_slow", detail: "It did not work." },
    });
    const doubt = next(failed, bad("update_metadata_expired", "waiting_for_clock"));
    assert.deepEqual(
      [doubt.record.last_check?.outcome, doubt.record.last_check?.code, doubt.record.failures, doubt.events],
      ["waiting_for_clock", "update_metadata_expired", 1, []],
    );
  });

  it("are the release with all that is shown of it, and when its wave comes", () => {
    const { rules, binary } = next(fresh, good({ version: "1.1.0", notes: "Better.", urgent: true })).record
      .available;
    const { id, ...rest } = rules ?? {};
    assert.match(id ?? "", /^[0-9a-f]{32}$/);
    assert.deepEqual(rest, {
      ...{ kind: "rules", name: "base", version: "1.1.0", channel: "stable", length_bytes: 1_000 },
      ...{ notes: "Better.", urgent: true, path: "stable/rules/base-1.1.0.tar.gz", due_at: null },
    });
    assert.equal(binary, null);
    const waves = { start: "2026-11-20T12:00:00Z", steps: [{ percent: 100, after_seconds: 60 }] };
    const later = next(fresh, good({ version: "1.1.0", waves })).record.available;
    assert.match(later.rules?.due_at ?? "", /^2026-11-20T12:0[01]:\d\d\.\d{3}Z$/);
  });

  it("are a kind that cannot be verified, once, and that it can be again", () => {
    const before = next(fresh, good({ version: "1.1.0" })).record;
    const first = next(before, blocked({ rules: expired, binary: null }));
    assert.deepEqual(first.events, [{ type: "update.check_failed", details: { ...expired, kind: "rules" } }]);
    assert.equal(first.record.available.rules, before.available.rules, "what was known stays");
    assert.deepEqual(first.record.blockers, { rules: expired, binary: null });
    const again = { ...expired, detail: "It has expired, later." };
    const second = next(first.record, blocked({ rules: again, binary: null }));
    assert.deepEqual([second.events, second.record.blockers?.rules], [[], again]);
    const other = next(
      second.record,
      blocked({ rules: { ...expired, code: "update_too_large" }, binary: expired }),
    );
    const types = other.events.map(({ type, details }) => [type, details]);
    assert.deepEqual(types, [
      ["update.check_failed", { code: "update_too_large", detail: expired.detail, kind: "rules" }],
      ["update.check_failed", { ...expired, kind: "binary" }],
    ]);
    const mended = next(other.record, blocked({ rules: null, binary: expired }));
    assert.deepEqual(mended.events, [
      { type: "update.check_recovered", details: { failures: 0, kind: "rules" } },
    ]);
    assert.equal(mended.record.available.rules, null);
  });

  it("are the kinds of a check that failed as a whole, else those of before, cut to what is kept", () => {
    const long = { ...expired, detail: "x".repeat(1_001) };
    const error = new StewardError("update_metadata_expired", "Expired.");
    const failed = next(fresh, {
      outcome: "failed",
      error,
      blockers: { rules: long, binary: expired },
    }).record;
    assert.deepEqual(failed.blockers, { rules: { ...expired, detail: "x".repeat(1_000) }, binary: expired });
    assert.deepEqual(next(failed, bad("update_too_slow")).record.blockers, failed.blockers);
    assert.deepEqual(next(fresh, bad("update_too_slow")).record.blockers, { rules: null, binary: null });
  });

  it("are the validators of the server, as far as they are not too long", () => {
    const kept = (validators: { etag: string | null; last_modified: string | null } | undefined) =>
      next(fresh, { ...(good() as Extract<CheckResult, { outcome: "ok" }>), validators }).record.validators;
    const [etag, date] = ["e".repeat(1_024), "d".repeat(128)];
    assert.deepEqual(kept({ etag, last_modified: date }), { server, etag, last_modified: date });
    assert.deepEqual(kept({ etag: null, last_modified: date }), { server, etag: null, last_modified: date });
    assert.deepEqual(kept({ etag, last_modified: null }), { server, etag, last_modified: null });
    for (const none of [
      { etag: null, last_modified: null },
      { etag: `${etag}e`, last_modified: date },
      { etag, last_modified: `${date}d` },
      undefined,
    ])
      assert.equal(kept(none), null);
  });

  it("are the same floors where nothing has changed", () => {
    const first = next(fresh, good({ version: "1.1.0" })).record;
    assert.equal(first.floors, fresh.floors);
    const raised = next(first, good({ version: "1.1.0", floor: "1.0.0" })).record;
    assert.deepEqual(raised.floors, { "rules/base": "1.0.0" });
  });
});

describe("a change of the record", () => {
  it("is worth a write for another reason why a kind cannot be verified, and not for other words", () => {
    const with_ = (rules: string | null, binary: string | null, detail = "No."): UpdateRecord => ({
      ...fresh,
      blockers: {
        rules: rules === null ? null : { code: rules, detail },
        binary: binary === null ? null : { code: binary, detail },
      },
    });
    assert.equal(isWorthWriting(fresh, with_(null, null)), false);
    assert.equal(isWorthWriting(with_("a", "b"), with_("a", "b", "Other.")), false);
    assert.equal(isWorthWriting(with_("a", "b"), with_("c", "b")), true);
    assert.equal(isWorthWriting(with_("a", "b"), with_("a", "c")), true);
    assert.equal(isWorthWriting(with_("a", "b"), with_(null, "b")), true);
    for (const idle of [
      { failures: 9 },
      { retry: { boot_id: "b", uptime: 1, left: 1 } },
      { validators: { server, etag: "e", last_modified: null } },
      { last_success_at: "2027-01-01T00:00:00.000Z" },
    ])
      assert.equal(isWorthWriting(fresh, { ...fresh, ...idle }), false);
    assert.equal(isWorthWriting(fresh, { ...fresh, floors: { "rules/base": "1.0.0" } }), true);
  });
});
