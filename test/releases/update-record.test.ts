import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import {
  continuedRecord,
  newSeed,
  type UpdateRecord,
  updateRecordKind,
} from "../../src/releases/update-record.ts";
import { validatorOf } from "../../src/store/documents/document-kind.ts";
import { loadDocument } from "../../src/store/documents/load.ts";

describe("the record of updates", () => {
  it("of a release that applied nothing yet is taken over whole", async () => {
    const directory = scratchDirectory();
    const { followed: _, postponed: __, ...former } = updateRecordKind.defaults;
    const seed = "ab".repeat(16);
    const stored = { ...former, seed, failures: 2, __internal__: { migrations: { version: "1.0.0" } } };
    writeFileSync(join(directory, "updates.json"), JSON.stringify(stored));
    const { value, origin, finding } = await loadDocument(directory, updateRecordKind, false);
    assert.deepEqual([origin, finding], ["file", null]);
    assert.deepEqual(value, { ...updateRecordKind.defaults, seed, failures: 2 });
  });

  const [digest, moment] = ["ab".repeat(32), "2026-11-20T12:00:00.000Z"];
  const release: NonNullable<UpdateRecord["available"]["rules"]> = {
    ...{
      id: "1".repeat(32),
      kind: "rules",
      name: "base",
      version: "1.0.0",
      channel: "stable",
      length_bytes: 1,
    },
    ...{ notes: "", urgent: false, path: "stable/rules/base.tar.gz", due_at: null },
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

  // biome-ignore lint/suspicious/noExplicitAny: records that are to be spoilt in any place
  const bad: [string, (record: any) => void][] = [
    ["a release of an unknown kind", ({ available }) => Object.assign(available.rules, { kind: "image" })],
    [
      "a release without a path",
      ({ available }) => Object.assign(available, { rules: { ...release, path: 7 } }),
    ],
    ["a short fingerprint", (record) => Object.assign(record, { anchor: "ab" })],
    ["a confirmation by no one", ({ confirmation }) => delete confirmation.by],
    ["a proof without a server", ({ proof }) => delete proof.server],
    ["a number of failures below none", (record) => Object.assign(record, { failures: -1 })],
    ["half a failure", (record) => Object.assign(record, { download_failures: 0.5 })],
    ["a retry in a year", ({ retry }) => Object.assign(retry, { left: 365 * 86_400 })],
    ["a check with an unknown outcome", ({ last_check }) => Object.assign(last_check, { outcome: "so" })],
    ["too many floors", (record) => Object.assign(record, { floors: manyFloors })],
    ["a floor that is a number", ({ floors }) => Object.assign(floors, { "rules/base": 1 })],
    ["a short id that was announced", ({ announced }) => announced.push("1")],
    ["nothing that was followed", ({ followed }) => delete followed.sequence],
    ["a postponed release without an end", ({ postponed }) => delete postponed.rules.until],
    ["a seed that is too short", (record) => Object.assign(record, { seed: "ab" })],
    ["a seed that is a number", (record) => Object.assign(record, { seed: 7 })],
    ["an anchor that is a number", (record) => Object.assign(record, { anchor: 7 })],
    ["a confirmation that is a number", (record) => Object.assign(record, { confirmation: 7 })],
    ["validators of no server", ({ validators }) => Object.assign(validators, { server: 7 })],
    ["a retry before the boot", ({ retry }) => Object.assign(retry, { uptime: -1 })],
    [
      "a floor of a long name",
      ({ floors }) => Object.assign(floors, { [`rules/${"a".repeat(80)}`]: "1.0.0" }),
    ],
    ["a release that is a number", ({ available }) => Object.assign(available, { rules: 7 })],
    ["a release of a short id", ({ available }) => Object.assign(available.rules, { id: "1" })],
    [
      "a release that is urgent in words",
      ({ available }) => Object.assign(available.rules, { urgent: "yes" }),
    ],
    ["further notes in one text", ({ available }) => Object.assign(available.rules, { more_notes: "a" })],
    ["a blocker of no code", (record) => Object.assign(record, { blockers: { rules: {}, binary: null } })],
    ["a blocker of one kind alone", (record) => Object.assign(record, { blockers: { rules: null } })],
    ["a number that was passed over", (record) => Object.assign(record, { passed_over: 7 })],
    [
      "a postponed release of a short id",
      ({ postponed }) => Object.assign(postponed.rules, { release_id: "1" }),
    ],
  ];
  const manyFloors = Object.fromEntries(
    Array.from({ length: 65 }, (_, index) => [`rules/r${index}`, "1.0.0"]),
  );
  for (const [what, spoil] of bad) {
    it(`is not one with ${what}`, () => {
      const spoilt = structuredClone(full);
      spoil(spoilt);
      assert.notDeepEqual(valid(spoilt), []);
    });
  }

  it("has a seed of 128 bits, another one on each device", () => {
    const [one, other] = [newSeed(), newSeed()];
    assert.match(one, /^[0-9a-f]{32}$/);
    assert.notEqual(one, other);
  });

  it("keeps confirmation and proof of its root alone when that is followed by the next", () => {
    const next = "cd".repeat(32);
    const continued = continuedRecord(full, next);
    assert.deepEqual(continued, {
      ...full,
      anchor: next,
      confirmation: { ...full.confirmation, fingerprint: next },
      proof: { ...full.proof, fingerprint: next },
    });
    const other = { fingerprint: "ef".repeat(32) };
    const strangers = { confirmation: { ...other, at: moment, by: "root" }, proof: { ...other, server: "" } };
    const { confirmation, proof } = continuedRecord({ ...full, ...strangers }, next);
    assert.deepEqual([confirmation, proof], [null, null]);
    assert.equal(continuedRecord(updateRecordKind.defaults, next).proof, null);
  });
});
