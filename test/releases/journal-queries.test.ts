import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { spoilt } from "../../lab/publisher/spoilt.ts";
import {
  goodIds,
  installedVersions,
  isOvertaken,
  kindOnTrial,
  newestEntry,
  setAsideAt,
  setAsideById,
  withoutOvertaken,
} from "../../src/releases/journal-queries.ts";
import {
  emptyJournal,
  type JournalEntry,
  type ReleaseJournal,
  readReleaseJournal,
  releaseJournalText,
  type SetAside,
  type Slot,
  type Trial,
} from "../../src/releases/release-journal.ts";

const at = "2026-11-20T12:00:00.000Z";
const known = (digit: string, version: string) => ({ id: digit.repeat(32), name: "base", version });
const one = { ...known("1", "1.0.0"), committed: { at, boot_id: "boot", uptime: 7.5 } };
const two = known("2", "1.1.0");

const deferred: SetAside = {
  ...{ ...known("3", "1.2.0"), at, why: "deferred", reason: "It waits." },
  until: "2026-11-20T13:00:00.000Z",
};
const failed: SetAside = { ...deferred, why: "failed", reason: "It was not well.", until: null };

const trial: Trial = {
  ...{ release: known("4", "2.0.0"), phase: "confirming", begun_at: at, begun_uptime: 10, boot_id: "boot" },
  ...{ boots: 1, crashes: 0, deadline_uptime: 70.5 },
  health: { successes: 1, needed: 3, last: "status 200", at },
  undo: { outcome: "failed", reason: "It was not well.", log: ["a line"] },
};

const entry = (sequence: number, kind: JournalEntry["kind"]): JournalEntry => ({
  ...{ sequence, at, kind, release_id: one.id, name: "base", version: "1.0.0", from_version: null },
  ...{ outcome: "good", detail: "It became healthy.", restored_healthy: null, seconds: 1, log: [] },
});

const rules: Slot = {
  good: [one, two],
  trial: null,
  setAside: [deferred, failed],
  agentRolledBack: [two.id],
};
const binary: Slot = { good: [], trial, setAside: [] };
const history = [entry(1, "rules"), entry(2, "binary"), entry(3, "rules")];
const journal: ReleaseJournal = { sequence: 3, slots: { rules, binary }, history };

describe("the journal of releases", () => {
  it("is read as it was written, with all that a journal can hold", () => {
    assert.deepEqual(readReleaseJournal(Buffer.from(releaseJournalText(journal))), journal);
  });

  const [good, trialAt, first] = ["slots rules good 0", "slots binary trial", "history 0"];
  const bad: [what: string, place: string, value?: unknown][] = [
    ["a format of tomorrow", "format", 2],
    ["a release with a short id", `${good} id`, "1"],
    ["a commitment without its boot", `${good} committed boot_id`],
    ["a trial without a phase", `${trialAt} phase`],
    ["a trial in an unknown phase", `${trialAt} phase`, "resting"],
    ["a trial of less than no boots", `${trialAt} boots`, -1],
    ["health without its count", `${trialAt} health successes`],
    ["an undo of an unknown outcome", `${trialAt} undo outcome`, "good"],
    ["an undo without its log", `${trialAt} undo log`],
    ["a release set aside for no reason", "slots rules setAside 0 why", "so"],
    ["an entry without a time", `${first} at`],
    ["an entry of an unknown outcome", `${first} outcome`, "so"],
    ["an entry that is half restored", `${first} restored_healthy`, 0.5],
    ["an entry of another kind", `${first} kind`, "image"],
    ["a cause without a code", `${first} cause`, { count: 1 }],
  ];
  for (const [what, place, value] of bad)
    it(`is damaged with ${what}`, () => {
      const text = JSON.stringify(spoilt(JSON.parse(releaseJournalText(journal)), place, value));
      assert.throws(() => readReleaseJournal(Buffer.from(text)), { code: "state_damaged" });
    });

  it("that a newer release has added members to is read, and they are passed on", () => {
    const added = { ...journal, mood: "fine", history: history.map((one) => ({ ...one, mood: "fine" })) };
    assert.deepEqual(readReleaseJournal(Buffer.from(releaseJournalText(added))), added);
  });
});

describe("of a journal of releases", () => {
  it("what is not JSON is said, with the parser's own words as its cause", () => {
    assert.throws(
      () => readReleaseJournal(Buffer.from("{")),
      ({ code, message, cause }) =>
        code === "state_damaged" && /it is not JSON/.test(message) && cause instanceof SyntaxError,
    );
  });

  it("the last good release of a kind is installed, and without one what the device came with", () => {
    assert.deepEqual(installedVersions(journal, { rules: "0.1.0", binary: "0.2.0" }), {
      ...{ rules: "1.1.0", binary: "0.2.0" },
    });
    const first = { ...journal, slots: { binary, rules: { ...rules, good: [one] } } };
    assert.equal(installedVersions(first, { rules: null, binary: null }).rules, "1.0.0");
  });

  it("releases that the package has overtaken are left out, and nothing is copied without one", () => {
    assert.deepEqual(withoutOvertaken(journal, { rules: "1.0.0", binary: null }).slots.rules.good, [two]);
    assert.equal(withoutOvertaken(journal, { rules: "0.9.0", binary: "9.0.0" }), journal);
    const overtaken = ["1.0.0", "1.0.1", "0.9.9", null].map((packaged) => isOvertaken("1.0.0", packaged));
    assert.deepEqual(overtaken, [true, true, false, false]);
  });

  it("those that proved healthy are known by their ids", () => {
    assert.deepEqual(goodIds(journal), [one.id, two.id]);
  });

  it("a release that was deferred is free again from that moment on, and one that failed is not", () => {
    const before = setAsideAt(journal, new Date("2026-11-20T12:59:59.999Z"));
    assert.deepEqual(before, [
      { ...deferred, kind: "rules" },
      { ...failed, kind: "rules" },
    ]);
    assert.deepEqual(setAsideAt(journal, new Date("2026-11-20T13:00:00.000Z")), [
      { ...failed, kind: "rules" },
    ]);
  });

  it("the failure counts of a release that is set aside twice, in either order", () => {
    for (const setAside of [
      [deferred, failed],
      [failed, deferred],
    ]) {
      const turned = { ...journal, slots: { binary, rules: { ...rules, setAside } } };
      assert.equal(setAsideById(turned, new Date(at)).get(failed.id)?.why, "failed");
    }
  });

  it("the kind on trial and the newest entry of each kind are told", () => {
    assert.equal(kindOnTrial(journal), "binary");
    assert.equal(kindOnTrial(emptyJournal), null);
    const found = [newestEntry(journal, "rules")?.sequence, newestEntry(journal, "binary")?.sequence];
    assert.deepEqual(found, [3, 2]);
    assert.equal(newestEntry(emptyJournal, "rules"), undefined);
  });
});
