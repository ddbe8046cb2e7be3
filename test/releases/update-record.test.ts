import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { spoilt } from "../../lab/publisher/spoilt.ts";
import {
  continuedRecord,
  newSeed,
  type UpdateRecord,
  updateRecordKind,
} from "../../src/releases/update-record.ts";
import { validatorOf } from "../../src/store/documents/document-kind.ts";

describe("the record of updates", () => {
  const [digest, moment] = ["ab".repeat(32), "2026-11-20T12:00:00.000Z"];
  const release: NonNullable<UpdateRecord["available"]["rules"]> = {
    ...{ id: "1".repeat(32), kind: "rules", name: "base", version: "1.0.0", channel: "stable", notes: "" },
    ...{ length_bytes: 1, urgent: false, path: "stable/rules/base.tar.gz", due_at: null },
  };
  const full: UpdateRecord = {
    ...updateRecordKind.defaults,
    ...{ seed: "ab".repeat(16), anchor: digest, floors: { "rules/base": "1.0.0" }, announced: [release.id] },
    confirmation: { fingerprint: digest, at: moment, by: "root" },
    proof: { fingerprint: digest, server: "https://updates.example" },
    validators: { server: "https://updates.example", etag: '"x"', last_modified: null },
    retry: { boot_id: "boot", uptime: 1, left: 60 },
    last_check: { at: moment, outcome: "ok", code: null, detail: null, requests: 4, body_bytes: 9 },
    available: { rules: release, binary: null },
    followed: { sequence: 3, rules: "good 1.0.0", binary: null },
    postponed: { rules: { release_id: release.id, until: moment }, binary: null },
  };
  const valid = validatorOf(updateRecordKind);

  it("may hold all of its members", () => assert.deepEqual(valid(structuredClone(full)), []));

  const manyFloors = Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`rules/r${at}`, "1.0.0"]));
  const bad: [what: string, place: string, value?: unknown][] = [
    ["a release of an unknown kind", "available rules kind", "image"],
    ["a release without a path", "available rules path"],
    ["a release that is a number", "available rules", 7],
    ["a release of a short id", "available rules id", "1"],
    ["a release that is urgent in words", "available rules urgent", "yes"],
    ["further notes in one text", "available rules more_notes", "a"],
    ["a short fingerprint", "anchor", "ab"],
    ["an anchor that is a number", "anchor", 7],
    ["a confirmation by no one", "confirmation by"],
    ["a confirmation that is a number", "confirmation", 7],
    ["a proof without a server", "proof server"],
    ["validators of no server", "validators server", 7],
    ["a number of failures below none", "failures", -1],
    ["half a failure", "download_failures", 0.5],
    ["a retry in a year", "retry left", 365 * 86_400],
    ["a retry before the boot", "retry uptime", -1],
    ["a check with an unknown outcome", "last_check outcome", "so"],
    ["too many floors", "floors", manyFloors],
    ["a floor that is a number", "floors rules/base", 1],
    ["a floor of a long name", `floors rules/${"a".repeat(80)}`, "1.0.0"],
    ["a short id that was announced", "announced", ["1"]],
    ["nothing that was followed", "followed sequence"],
    ["a postponed release without an end", "postponed rules until"],
    ["a postponed release of a short id", "postponed rules release_id", "1"],
    ["a seed that is too short", "seed", "ab"],
    ["a seed that is a number", "seed", 7],
    ["a blocker of no code", "blockers", { rules: {}, binary: null }],
    ["a blocker of one kind alone", "blockers", { rules: null }],
    ["a number that was passed over", "passed_over", 7],
  ];
  for (const [what, place, value] of bad)
    it(`is not one with ${what}`, () => assert.notDeepEqual(valid(spoilt(full, place, value)), []));

  it("has a seed of 128 bits, another one on each device", () => {
    const [one, other] = [newSeed(), newSeed()];
    assert.match(one, /^[0-9a-f]{32}$/);
    assert.notEqual(one, other);
  });

  it("keeps confirmation and proof of its root alone when that is followed by the next", () => {
    const next = "cd".repeat(32);
    const kept = {
      confirmation: { ...full.confirmation, fingerprint: next },
      proof: { ...full.proof, fingerprint: next },
    };
    assert.deepEqual(continuedRecord(full, next), { ...full, anchor: next, ...kept });
    const other = { fingerprint: "ef".repeat(32) };
    const strangers = { confirmation: { ...other, at: moment, by: "root" }, proof: { ...other, server: "" } };
    const { confirmation, proof } = continuedRecord({ ...full, ...strangers }, next);
    assert.deepEqual([confirmation, proof], [null, null]);
    assert.equal(continuedRecord(updateRecordKind.defaults, next).proof, null);
  });
});
