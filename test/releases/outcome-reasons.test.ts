import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { outcomeCodes } from "../../src/contract/schemas/update-reasons.ts";
import { fullSentence } from "../../src/contract/update-facts.ts";
import { historyEntryOf } from "../../src/releases/journal-queries.ts";
import {
  outcomeCause,
  outcomeSentence,
  reasonOf,
  reasonOfError,
} from "../../src/releases/outcome-reasons.ts";
import {
  emptyJournal,
  type JournalEntry,
  readReleaseJournal,
  releaseJournalText,
} from "../../src/releases/release-journal.ts";

const entry: JournalEntry = {
  ...{ sequence: 1, at: "2026-11-20T12:00:00.000Z", kind: "rules", release_id: "1".repeat(32) },
  ...{ name: "base", version: "1.1.0", from_version: "1.0.0", outcome: "failed", detail: "It was not well" },
  ...{ restored_healthy: true, seconds: 1, log: [] },
};
const read = (one: JournalEntry) =>
  readReleaseJournal(Buffer.from(releaseJournalText({ ...emptyJournal, sequence: 1, history: [one] })));

describe("why an attempt ended", () => {
  it("is read from the journal with its code and facts", () => {
    const cause = outcomeCause("unclean_exits", { count: 3, last_answer: "status 503" });
    const [stored] = read({ ...entry, cause, log: ["a line"] }).history;
    assert.ok(stored, "the entry is in the journal");
    assert.deepEqual(historyEntryOf(stored).log, ["a line"]);
    assert.deepEqual(historyEntryOf(stored).reason, {
      ...{ code: "unclean_exits", detail: "It was not well.", count: 3, last_answer: "status 503" },
    });
  });

  it("is unrecorded, with its sentence, in a journal from before the codes", () => {
    const [stored] = read(entry).history;
    assert.ok(stored, "the entry is in the journal");
    const reason = { code: "unrecorded", detail: "It was not well.", count: null, last_answer: null };
    assert.deepEqual(historyEntryOf(stored).reason, reason);
  });

  it("is unrecorded where a newer release stored a code that is not known here", () => {
    const cause = { code: "of_the_future", count: null, last_answer: null };
    assert.equal(reasonOf("It ended.", cause).code, "unrecorded");
  });

  it("is an error code where it was refused", () => {
    const cause = { code: "update_not_acceptable", count: null, last_answer: null };
    assert.equal(reasonOf("It is withdrawn.", cause).code, "update_not_acceptable");
  });

  it("is one or more whole sentences for each code", () => {
    for (const code of outcomeCodes) {
      if (code === "unrecorded") continue;
      assert.match(outcomeSentence(outcomeCause(code, { last_answer: "status 503" })), /^[A-Z].*\.$/, code);
    }
  });

  it("is told with what is known of it", () => {
    const told = (...given: Parameters<typeof outcomeCause>) => outcomeSentence(outcomeCause(...given));
    const last = { last_answer: "status 503" };
    assert.equal(told("healthy"), "It became healthy.");
    assert.equal(told("confirmed_by_root", last), "Root confirmed it. The last health check: status 503.");
    assert.equal(told("unclean_exits", { count: 3 }), "It crashed 3 times.");
    assert.equal(told("not_healthy_in_time"), "It did not become healthy in time.");
    assert.equal(told("activation_failed"), "It could not be activated. No reason is known.");
    assert.equal(told("activation_failed", last), "It could not be activated. status 503.");
    assert.equal(told("restarts", { count: 2 }), "The device restarted 2 times before it became healthy.");
    const sentences = outcomeCodes.filter((code) => code !== "unrecorded").map((code) => told(code));
    assert.equal(new Set(sentences).size, sentences.length, "two codes have the same sentence");
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
