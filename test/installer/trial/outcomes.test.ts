import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { committed, cut, refused, undone } from "../../../src/installer/trial/outcomes.ts";
import {
  emptyJournal,
  type JournalEntry,
  type KnownRelease,
  type ReleaseJournal,
  readReleaseJournal,
  releaseJournalText,
  type SetAside,
  type Slot,
  type Trial,
  type Undo,
} from "../../../src/releases/release-journal.ts";

const known = (digit: number): KnownRelease => ({
  ...{ id: `${digit}`.repeat(32), name: "pump", version: `${digit}.0.0` },
});
const [one, two, three] = [known(1), known(2), known(3)];
const begun = "2026-11-20T12:00:00.000Z";
const trial: Trial = {
  ...{ release: two, phase: "confirming", begun_at: begun, begun_uptime: 100, boot_id: "boot", boots: 1 },
  ...{ crashes: 0, deadline_uptime: 160, undo: null },
  health: { successes: 3, needed: 3, last: "status 200", at: begun },
};
const undo: Undo = { outcome: "failed", reason: "It was not well.", log: ["a line"] };
const aside = ({ id, name, version }: KnownRelease): SetAside => ({
  ...{ id, name, version, at: begun, why: "failed", reason: "It was not well.", until: null },
});

/** A minute and a half after the beginning by the wall clock, a minute by monotonic time. */
const now = { at: new Date("2026-11-20T12:01:30.000Z"), uptime: 160, bootId: "boot" };

function journalOf(slot: Partial<Slot>, history: readonly JournalEntry[] = []): ReleaseJournal {
  const { slots } = emptyJournal;
  const binary: Slot = { good: [one], trial, setAside: [], ...slot };
  return { sequence: history.length, slots: { ...slots, binary }, history };
}

/** The journal afterwards, which can be stored, and its newest entry. */
function after(journal: ReleaseJournal): { slot: Slot; entry: JournalEntry | undefined; count: number } {
  assert.deepEqual(readReleaseJournal(Buffer.from(releaseJournalText(journal))), journal);
  const { history, slots, sequence } = journal;
  assert.equal(history.at(-1)?.sequence, sequence);
  return { slot: slots.binary, entry: history.at(-1), count: history.length };
}

const commit = (slot: Partial<Slot>, moment = now) => after(committed(journalOf(slot), "binary", moment));
const undoing = (slot: Partial<Slot>, change: Partial<Undo> = {}, isHealthy = true) => {
  const present = journalOf({ trial: { ...trial, undo: { ...undo, ...change } }, ...slot });
  return after(undone(present, "binary", { ...now, isHealthy }));
};

const versionsOf = (releases: readonly KnownRelease[]) => releases.map(({ version }) => version);

describe("a trial that ends well", () => {
  it("leaves the release as the newest good one, with when that was, and off the blocklist", () => {
    const { slot, entry } = commit({ setAside: [aside(two), aside(three)] });
    const at = { at: now.at.toISOString(), boot_id: "boot", uptime: 160 };
    assert.deepEqual(slot, { good: [one, { ...two, committed: at }], trial: null, setAside: [aside(three)] });
    assert.deepEqual(entry, {
      ...{ sequence: 1, at: at.at, kind: "binary", release_id: two.id, name: "pump", version: "2.0.0" },
      ...{ from_version: "1.0.0", outcome: "good", seconds: 60, restored_healthy: null, log: [] },
      detail: "It became healthy. The last health check: status 200.",
      cause: { code: "healthy", count: null, last_answer: "status 200" },
    });
  });

  it("keeps three good releases, each once, with the newest last", () => {
    assert.deepEqual(versionsOf(commit({ good: [one, two] }).slot.good), ["1.0.0", "2.0.0"]);
    const { good } = commit({ good: [two, one, three, known(4)] }).slot;
    assert.deepEqual(versionsOf(good), ["3.0.0", "4.0.0", "2.0.0"]);
  });

  it("was confirmed by root where it was not healthy often enough", () => {
    const codeAfter = (successes: number) =>
      commit({ trial: { ...trial, health: { ...trial.health, successes } } }).entry?.cause?.code;
    assert.deepEqual([2, 4].map(codeAfter), ["confirmed_by_root", "healthy"]);
  });

  it("took as long as the wall clock says where a boot came between, and never less than no time", () => {
    for (const [change, moment, seconds] of [
      [{ boots: 2 }, {}, 90],
      [{}, { bootId: "another" }, 90],
      [{ boots: 2 }, { at: new Date(0) }, 0],
      [{ begun_uptime: 200 }, {}, 0],
    ] as const)
      assert.equal(commit({ trial: { ...trial, ...change } }, { ...now, ...moment }).entry?.seconds, seconds);
  });

  it("and one that is not under way, or not undone, changes nothing", () => {
    const idle = journalOf({ trial: null });
    assert.equal(committed(idle, "binary", now), idle);
    for (const journal of [idle, journalOf({})])
      assert.equal(undone(journal, "binary", { ...now, isHealthy: true }), journal);
  });
});

describe("a trial that is undone", () => {
  it("leaves the releases before it, and this one once on the blocklist with its reason", () => {
    const { slot, entry } = undoing({ good: [one, two], setAside: [aside(two), aside(three)] });
    const failed = { ...aside(two), at: now.at.toISOString() };
    assert.deepEqual(slot, { good: [one], trial: null, setAside: [aside(three), failed] });
    assert.deepEqual(entry, {
      ...{ sequence: 1, at: now.at.toISOString(), kind: "binary", release_id: two.id, name: "pump" },
      ...{ version: "2.0.0", from_version: "1.0.0", outcome: "failed", detail: undo.reason, seconds: 60 },
      ...{ restored_healthy: true, log: ["a line"] },
    });
    assert.equal(undoing({}, {}, false).entry?.restored_healthy, false);
  });

  it("is held after root's word, and free again a day after it was deferred; what a package has overtaken is neither", () => {
    for (const [outcome, why, until] of [
      ["aborted", "held", null],
      ["rolled_back", "held", null],
      ["deferred", "deferred", "2026-11-21T12:01:30.000Z"],
    ] as const) {
      const [release] = undoing({}, { outcome }).slot.setAside;
      assert.deepEqual([release?.why, release?.until], [why, until]);
    }
    const overtaken = { code: "overtaken", count: null, last_answer: null } as const;
    assert.deepEqual(undoing({}, { outcome: "aborted", cause: overtaken }).slot.setAside, []);
  });

  it("came from itself where it was rolled back, and from nothing where nothing was before", () => {
    assert.equal(undoing({ good: [one, two] }, { outcome: "rolled_back" }).entry?.from_version, "2.0.0");
    assert.equal(undoing({ good: [] }).entry?.from_version, null);
  });

  it("has its cause in both places, and pushes the oldest from a full blocklist", () => {
    const cause = { code: "unclean_exits", count: 3, last_answer: null } as const;
    const ids = Array.from({ length: 32 }, (_, index) => `${index}`.padStart(32, "a"));
    const { slot, entry } = undoing({ setAside: ids.map((id) => aside({ ...one, id })) }, { cause });
    assert.deepEqual([slot.setAside.at(-1)?.cause, entry?.cause], [cause, cause]);
    const found = slot.setAside.map(({ id }) => id);
    assert.deepEqual(found, [...ids.slice(1), two.id]);
  });
});

describe("a refusal", () => {
  const cause = { code: "update_not_acceptable", count: null, last_answer: null };
  const whole = { kind: "binary", release: two, detail: "It is withdrawn.", cause, from: "1.0.0" } as const;
  const refuse = (journal: ReleaseJournal, change: Partial<Parameters<typeof refused>[1]> = {}) =>
    refused(journal, { ...whole, ...change }, now);

  it("says what it is known of, and no more, cut to what can be stored", () => {
    assert.deepEqual(after(refuse(emptyJournal)).entry, {
      ...{ sequence: 1, at: now.at.toISOString(), kind: "binary", release_id: two.id, name: "pump", cause },
      ...{ version: "2.0.0", from_version: "1.0.0", outcome: "refused", detail: "It is withdrawn." },
      ...{ restored_healthy: null, seconds: 0, log: [] },
    });
    for (const release of [null, { id: two.id }]) {
      const { entry } = after(refuse(emptyJournal, { kind: null, release, from: null }));
      const { kind, release_id, name, version, from_version } = entry ?? {};
      assert.deepEqual([kind, release_id, name], [null, release?.id ?? null, null]);
      assert.deepEqual([version, from_version], [null, null]);
    }
    const long = "x".repeat(2_000);
    const { entry } = after(refuse(emptyJournal, { detail: long, cause: { ...cause, last_answer: long } }));
    assert.deepEqual([entry?.detail.length, entry?.cause?.last_answer?.length], [1_000, 1_000]);
  });

  it("takes the place of the same one before it, and of no other", () => {
    const first = refuse(emptyJournal);
    assert.deepEqual([after(refuse(first)).count, refuse(first).sequence], [1, 2]);
    assert.equal(after(refuse(first, { release: three })).count, 2);
    assert.equal(after(refuse(first, { detail: "It is too old." })).count, 2);
    const failed = undone(journalOf({ trial: { ...trial, undo } }), "binary", { ...now, isHealthy: true });
    assert.equal(after(refuse(failed, { detail: undo.reason })).count, 2);
  });

  it("pushes out the oldest of eight others, and nothing else", () => {
    let journal = committed(journalOf({}), "binary", now);
    for (let count = 1; count <= 8; count += 1) journal = refuse(journal, { detail: `It is bad ${count}.` });
    assert.equal(after(journal).count, 9);
    const { history } = refuse(journal, { detail: "It is bad." });
    const found = history.map(({ sequence }) => sequence);
    assert.deepEqual(found, [1, 3, 4, 5, 6, 7, 8, 9, 10]);
  });
});

describe("of the history", () => {
  it("the newest 32 entries are kept", () => {
    const { entry } = commit({});
    assert.ok(entry, "there is an entry");
    const history = Array.from({ length: 32 }, (_, index) => ({ ...entry, sequence: index + 1 }));
    const { history: kept } = committed(journalOf({}, history), "binary", now);
    assert.deepEqual([kept.length, kept[0]?.sequence, kept.at(-1)?.sequence], [32, 2, 33]);
  });

  it("a text as long as it may be is whole, and a longer one ends with an ellipsis", () => {
    assert.deepEqual([cut("abc", 3), cut("abcd", 3)], ["abc", "ab…"]);
  });
});
