import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { spoilt } from "../../lab/publisher/spoilt.ts";
import { outcomeCodes } from "../../src/contract/schemas/update-reasons.ts";
import { fullSentence } from "../../src/contract/update-facts.ts";
import {
  goodIds,
  historyEntryOf,
  installedVersions,
  isOvertaken,
  kindOnTrial,
  newestEntry,
  setAsideAt,
  setAsideById,
  withoutOvertaken,
} from "../../src/releases/journal-queries.ts";
import {
  outcomeCause,
  outcomeSentence,
  reasonOf,
  reasonOfError,
} from "../../src/releases/outcome-reasons.ts";
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

const until = "2026-11-20T13:00:00.000Z";
const deferred: SetAside = { ...known("3", "1.2.0"), at, why: "deferred", reason: "It waits.", until };
const failed: SetAside = { ...deferred, why: "failed", reason: "It was not well.", until: null };

const trial: Trial = {
  ...{ release: known("4", "2.0.0"), phase: "confirming", begun_at: at, begun_uptime: 10, boot_id: "boot" },
  ...{ boots: 1, crashes: 0, deadline_uptime: 70.5 },
  health: { successes: 1, needed: 3, last: "status 200", at },
  undo: { outcome: "failed", reason: "It was not well.", log: ["a line"] },
};

const entry = (
  sequence: number,
  kind: JournalEntry["kind"],
  change: Partial<JournalEntry> = {},
): JournalEntry => ({
  ...{ sequence, at, kind, release_id: one.id, name: "base", version: "1.0.0", from_version: null },
  ...{ outcome: "good", detail: "It was well", restored_healthy: null, seconds: 1, log: [], ...change },
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
const reread = (written: ReleaseJournal) => readReleaseJournal(Buffer.from(releaseJournalText(written)));

describe("the journal of releases", () => {
  it("is read as it was written, with all that a journal can hold and what a newer release has added", () => {
    assert.deepEqual(reread(journal), journal);
    const added = { ...journal, mood: "fine", history: history.map((one) => ({ ...one, mood: "fine" })) };
    assert.deepEqual(reread(added), added);
  });

  for (const [what, place, value] of [
    ["a format of tomorrow", "format", 2],
    ["a release with a short id", "slots rules good 0 id", "1"],
    ["a commitment without its boot", "slots rules good 0 committed boot_id"],
    ["a trial without a phase", "slots binary trial phase"],
    ["a trial in an unknown phase", "slots binary trial phase", "resting"],
    ["a trial of less than no boots", "slots binary trial boots", -1],
    ["health without its count", "slots binary trial health successes"],
    ["an undo of an unknown outcome", "slots binary trial undo outcome", "good"],
    ["an undo without its log", "slots binary trial undo log"],
    ["a release set aside for no reason", "slots rules setAside 0 why", "so"],
    ["an entry without a time", "history 0 at"],
    ["an entry of an unknown outcome", "history 0 outcome", "so"],
    ["an entry that is half restored", "history 0 restored_healthy", 0.5],
    ["an entry of another kind", "history 0 kind", "image"],
    ["a cause without a code", "history 0 cause", { count: 1 }],
  ] as [string, string, unknown?][])
    it(`is damaged with ${what}`, () => {
      const text = JSON.stringify(spoilt(JSON.parse(releaseJournalText(journal)), place, value));
      assert.throws(() => readReleaseJournal(Buffer.from(text)), { code: "state_damaged" });
    });

  it("is told where it is not JSON, with the parser's own words as its cause", () => {
    assert.throws(
      () => readReleaseJournal(Buffer.from("{")),
      ({ code, message, cause }) =>
        code === "state_damaged" && /it is not JSON/.test(message) && cause instanceof SyntaxError,
    );
  });

  it("names the installed release, the last good one, and without one what the device came with", () => {
    const with_ = (good: Slot["good"]) => ({ ...journal, slots: { binary, rules: { ...rules, good } } });
    for (const [good, version] of [
      [[one, two], "1.1.0"],
      [[one], "1.0.0"],
      [[], "0.1.0"],
    ] as const) {
      const expected = { rules: version, binary: "0.2.0" };
      assert.deepEqual(installedVersions(with_(good), { rules: "0.1.0", binary: "0.2.0" }), expected);
    }
    assert.deepEqual(goodIds(journal), [one.id, two.id]);
  });

  it("leaves out releases that the package has overtaken, and is not copied without one", () => {
    assert.deepEqual(withoutOvertaken(journal, { rules: "1.0.0", binary: null }).slots.rules.good, [two]);
    assert.equal(withoutOvertaken(journal, { rules: "0.9.0", binary: "9.0.0" }), journal);
    const overtaken = ["1.0.0", "1.0.1", "0.9.9", null].map((packaged) => isOvertaken("1.0.0", packaged));
    assert.deepEqual(overtaken, [true, true, false, false]);
  });

  it("frees a release that was deferred from that moment on, and not one that failed, which counts of the two", () => {
    const [held, broken] = [deferred, failed].map((one) => ({ ...one, kind: "rules" }));
    assert.deepEqual(setAsideAt(journal, new Date("2026-11-20T12:59:59.999Z")), [held, broken]);
    assert.deepEqual(setAsideAt(journal, new Date(until)), [broken]);
    for (const setAside of [rules.setAside, rules.setAside.toReversed()]) {
      const turned = { ...journal, slots: { binary, rules: { ...rules, setAside } } };
      assert.equal(setAsideById(turned, new Date(at)).get(failed.id)?.why, "failed");
    }
  });

  it("names the kind on trial and the newest entry of each kind", () => {
    assert.deepEqual([kindOnTrial(journal), kindOnTrial(emptyJournal)], ["binary", null]);
    const found = ([journal, emptyJournal] as const).flatMap((one) =>
      (["rules", "binary"] as const).map((kind) => newestEntry(one, kind)?.sequence),
    );
    assert.deepEqual(found, [3, 2, undefined, undefined]);
  });
});

describe("why an attempt ended", () => {
  it("is read from the journal with its code and facts, and as unrecorded from before the codes", () => {
    const cause = outcomeCause("unclean_exits", { count: 3, last_answer: "status 503" });
    const given = [entry(1, "rules", { cause, log: ["a line"] }), entry(2, "rules")];
    const [coded, old] = reread({ ...emptyJournal, sequence: 2, history: given }).history.map(historyEntryOf);
    assert.deepEqual(coded?.log, ["a line"]);
    const detail = "It was well.";
    assert.deepEqual(coded?.reason, { code: "unclean_exits", detail, count: 3, last_answer: "status 503" });
    assert.deepEqual(old?.reason, { code: "unrecorded", detail, count: null, last_answer: null });
  });

  it("is an error code where it was refused, and unrecorded where a newer release stored another", () => {
    const codes = ["update_not_acceptable", "of_the_future"].map(
      (code) => reasonOf("It ended.", { code, count: null, last_answer: null }).code,
    );
    assert.deepEqual(codes, ["update_not_acceptable", "unrecorded"]);
  });

  it("is another whole sentence for each code, with what is known of it", () => {
    const told = (...given: Parameters<typeof outcomeCause>) => outcomeSentence(outcomeCause(...given));
    const last = { last_answer: "status 503" };
    const codes = outcomeCodes.filter((code) => code !== "unrecorded");
    for (const code of codes) assert.match(told(code, last), /^[A-Z].*\.$/, code);
    assert.equal(new Set(codes.map((code) => told(code))).size, codes.length);
    assert.equal(told("healthy"), "It became healthy.");
    assert.equal(told("confirmed_by_root", last), "Root confirmed it. The last health check: status 503.");
    assert.equal(told("unclean_exits", { count: 3 }), "It crashed 3 times.");
    assert.equal(told("activation_failed"), "It could not be activated. No reason is known.");
    assert.equal(told("activation_failed", last), "It could not be activated. status 503.");
    assert.equal(told("restarts", { count: 2 }), "The device restarted 2 times before it became healthy.");
  });

  it("ends with one full stop, and is internal where an error has no code of the contract", () => {
    const sentences = ["", "So.", "So!", "So?", "So…"];
    assert.deepEqual(sentences.map(fullSentence), sentences);
    assert.deepEqual(["So", "1.2.0 is"].map(fullSentence), ["So.", "1.2.0 is."]);
    const codes = ["storage_full", "toString", "EIO"].map(
      (code) => reasonOfError({ code, message: "So" }).code,
    );
    assert.deepEqual(codes, ["storage_full", "internal_error", "internal_error"]);
  });
});
