import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Custom, offer } from "../../../lab/publisher/offers.ts";
import type { ErrorCode } from "../../../src/contract/error-codes.ts";
import { StewardError } from "../../../src/contract/errors.ts";
import { select } from "../../../src/releases/selection.ts";
import { type UpdateRecord, updateRecordKind } from "../../../src/releases/update-record.ts";
import {
  type CheckResult,
  failedResult,
  isWorthWriting,
  recordAfter,
} from "../../../src/updates/check/check-outcome.ts";

type Good = Extract<CheckResult, { outcome: "ok" }>;

const server = "https://updates.example";
const fresh: UpdateRecord = { ...updateRecordKind.defaults, seed: "ab".repeat(16) };
const check = { id: `chk_${"1".repeat(32)}`, at: "2026-11-20T12:00:00.000Z", requests: 2, body_bytes: 600 };

function next(record: UpdateRecord, result: CheckResult, isServer = true) {
  const source = { url: isServer ? server : "file:///media/stick", isServer };
  const cost = { requests: 2, bodyBytes: 600 };
  return recordAfter(record, {
    ...{ id: check.id, result, at: new Date(check.at), source, fingerprint: "f".repeat(64), ...cost },
  });
}

function good(...offers: Custom[]): Good {
  const selection = select(
    offers.map((one) => offer(one)),
    {
      ...{ product: "demo", arch: "x64", agentVersion: "0.1.0", channel: "stable", floors: {} },
      ...{ installed: { rules: null, binary: null }, failed: new Set(), held: new Set() },
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
    const { record: present, events } = next(record, result);
    record = present;
    told.push(...events.map(({ type }) => type.replace("update.", "")));
  }
  return { record, told };
}

it("a failure is a doubt where it is about dates and the clock is not trusted, and internal where it is unexpected", () => {
  const expired = new StewardError("update_metadata_expired", "Expired.");
  const unreachable = (details = {}) => new StewardError("update_server_unreachable", "No.", { details });
  for (const [error, doubt] of [
    [expired, "waiting_for_clock"],
    [unreachable({ reason: "certificate_date" }), "waiting_for_clock"],
    [unreachable(), "failed"],
  ] as const) {
    assert.equal(failedResult(error, false).outcome, doubt);
    assert.equal(failedResult(error, true).outcome, "failed");
  }
  assert.equal(failedResult(new TypeError("oops"), true).error.code, "internal_error");
});

describe("after a check the record", () => {
  it("tells of a release once, also when another one was offered in between, and remembers 16", () => {
    const offers = ["1.1.0", "1.2.0", "1.1.0"].map((version) => good({ version }));
    assert.deepEqual(after(...offers).told, ["available", "available"]);
    const many = Array.from({ length: 40 }, (_, minor) => good({ version: `1.${minor}.0` }));
    assert.equal(after(...many).record.announced.length, 16);
  });

  it("tells of a failure once for each change of its code, and of the recovery", () => {
    const [a, b] = [bad("update_server_unreachable"), bad("update_too_slow")];
    const { told } = after(a, a, b, b, a, good());
    assert.deepEqual(told, ["check_failed", "check_failed", "check_failed", "check_recovered"]);
  });

  it("is proof of a server, and counts against one or for it, where it was the server's", () => {
    const ofStick = next(fresh, good({ version: "1.1.0" }), false).record;
    assert.deepEqual([ofStick.proof, ofStick.validators], [null, null]);
    assert.equal(ofStick.available.rules?.version, "1.1.0");
    assert.equal(next(fresh, bad("update_too_slow"), false).record.failures, 0);
    const mended = next({ ...fresh, failures: 3 }, good(), false);
    assert.deepEqual([mended.events, mended.record.failures], [[], 3]);
  });

  it("has the facts of each event", () => {
    const found = next(fresh, good({ version: "1.1.0" }));
    const release_id = found.record.available.rules?.id ?? "";
    const named = { release_id, kind: "rules", name: "base", version: "1.1.0" };
    assert.deepEqual(found.events, [{ type: "update.available", details: named }]);
    assert.deepEqual(found.record.announced, [release_id]);
    const failed = next(found.record, bad("update_too_slow"));
    const details = { code: "update_too_slow", detail: "It did not work." };
    assert.deepEqual(failed.events, [{ type: "update.check_failed", details }]);
    const recovered = next({ ...failed.record, failures: 3 }, good({ version: "1.1.0" }));
    assert.deepEqual(recovered.events, [{ type: "update.check_recovered", details: { failures: 3 } }]);
  });

  it("has the check itself, with its time and its cost", () => {
    const ok = next(fresh, good()).record;
    assert.deepEqual(ok.last_check, { ...check, outcome: "ok", code: null, detail: null });
    assert.equal(ok.last_success_at, check.at);
    const failed = next(ok, bad("update_too_slow")).record;
    const why = { code: "update_too_slow", detail: "It did not work." };
    assert.deepEqual(failed.last_check, { ...check, outcome: "failed", ...why });
    const { record, events } = next(failed, bad("update_metadata_expired", "waiting_for_clock"));
    const { outcome, code } = record.last_check ?? {};
    assert.deepEqual(
      [outcome, code, record.failures, events],
      ["waiting_for_clock", "update_metadata_expired", 1, []],
    );
  });

  it("has the release with all that is shown of it, and when its wave comes", () => {
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

  const expired = { code: "update_metadata_expired", detail: "It has expired." };

  it("has a kind that cannot be verified, told once, and that it can be again", () => {
    const blocked = (rules: typeof expired | null, binary: typeof expired | null): Good => ({
      ...good(),
      blockers: { rules, binary },
    });
    const large = { ...expired, code: "update_too_large" };
    const again = { ...expired, detail: "It has expired, later." };
    let { record } = next(fresh, good({ version: "1.1.0" }));
    const known = record.available.rules;
    for (const [rules, binary, ...events] of [
      [expired, null, ["update.check_failed", { ...expired, kind: "rules" }]],
      [again, null],
      [
        large,
        expired,
        ["update.check_failed", { ...large, kind: "rules" }],
        ["update.check_failed", { ...expired, kind: "binary" }],
      ],
      [null, expired, ["update.check_recovered", { failures: 0, kind: "rules" }]],
    ] as [typeof expired | null, typeof expired | null, ...[string, object][]][]) {
      const outcome = next(record, blocked(rules, binary));
      record = outcome.record;
      const found = outcome.events.map(({ type, details }) => [type, details]);
      assert.deepEqual(found, events);
      assert.deepEqual(record.blockers, { rules, binary });
      assert.equal(record.available.rules, rules && known, "what was known stays while it is blocked");
    }
  });

  it("has the kinds of a check that failed as a whole, else those of before, cut to what is kept", () => {
    const blockers = { rules: { ...expired, detail: "x".repeat(1_001) }, binary: expired };
    const error = new StewardError("update_metadata_expired", "Expired.");
    const failed = next(fresh, { outcome: "failed", error, blockers }).record;
    assert.deepEqual(failed.blockers, { rules: { ...expired, detail: "x".repeat(1_000) }, binary: expired });
    assert.deepEqual(next(failed, bad("update_too_slow")).record.blockers, failed.blockers);
    assert.deepEqual(next(fresh, bad("update_too_slow")).record.blockers, { rules: null, binary: null });
  });

  it("has the validators of the server, as far as they are not too long", () => {
    const kept = (validators: Good["validators"]) => next(fresh, { ...good(), validators }).record.validators;
    const [etag, last_modified] = ["e".repeat(1_024), "d".repeat(128)];
    for (const given of [
      { etag, last_modified },
      { etag: null, last_modified },
      { etag, last_modified: null },
    ])
      assert.deepEqual(kept(given), { server, ...given });
    for (const none of [
      ...[undefined, { etag: null, last_modified: null }],
      ...[
        { etag: `${etag}e`, last_modified },
        { etag, last_modified: `${last_modified}d` },
      ],
    ])
      assert.equal(kept(none), null);
  });

  it("has the same floors where nothing has changed", () => {
    const first = next(fresh, good({ version: "1.1.0" })).record;
    assert.equal(first.floors, fresh.floors);
    const raised = next(first, good({ version: "1.1.0", floor: "1.0.0" })).record;
    assert.deepEqual(raised.floors, { "rules/base": "1.0.0" });
  });
});

it("a change of the record is worth a write for a floor or another reason why a kind is blocked, and not for other words", () => {
  const blocker = (code: string | null, detail: string) => (code === null ? null : { code, detail });
  const blocked = (rules: string | null, binary: string | null, detail = "No."): UpdateRecord => ({
    ...fresh,
    blockers: { rules: blocker(rules, detail), binary: blocker(binary, detail) },
  });
  for (const [one, other, isWorth] of [
    [fresh, blocked(null, null), false],
    [blocked("a", "b"), blocked("a", "b", "Other."), false],
    [blocked("a", "b"), blocked("c", "b"), true],
    [blocked("a", "b"), blocked("a", "c"), true],
    [blocked("a", "b"), blocked(null, "b"), true],
    [fresh, { ...fresh, floors: { "rules/base": "1.0.0" } }, true],
    [fresh, { ...fresh, failures: 9 }, false],
    [fresh, { ...fresh, retry: { boot_id: "b", uptime: 1, left: 1 } }, false],
    [fresh, { ...fresh, validators: { server, etag: "e", last_modified: null } }, false],
    [fresh, { ...fresh, last_success_at: "2027-01-01T00:00:00.000Z" }, false],
  ] as const)
    assert.equal(isWorthWriting(one, other), isWorth);
});
