import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { emptyJournal, type JournalEntry, type Trial } from "../../../src/releases/release-journal.ts";
import { trialPhases } from "../../../src/releases/release-journal-schema.ts";
import { outcomeState, trialState, trialView } from "../../../src/updates/status/trial-view.ts";

const moment = { now: new Date("2026-11-20T12:00:00Z"), uptime: 1_000, bootId: "boot-1" };

const trial: Trial = {
  ...{ release: { id: "2".repeat(32), name: "demo", version: "2.0.0" }, phase: "confirming" },
  ...{ begun_at: "2026-11-20T11:59:00.000Z", begun_uptime: 940, boot_id: "boot-1", boots: 1, crashes: 0 },
  ...{ deadline_uptime: 1_240, undo: null },
  health: { successes: 2, needed: 6, last: "status 503 instead of 200", at: "2026-11-20T11:59:59.000Z" },
};

function viewOf(change: Partial<Trial>) {
  const binary = { ...emptyJournal.slots.binary, trial: { ...trial, ...change } };
  const view = trialView({ ...emptyJournal, slots: { ...emptyJournal.slots, binary } }, moment);
  assert.ok(view, "something is on trial");
  return view;
}

describe("a trial as people see it", () => {
  it("is none where nothing is on trial", () => assert.equal(trialView(emptyJournal, moment), null));

  it("is in one of three phases", () => {
    assert.deepEqual(
      trialPhases.map((phase) => viewOf({ phase }).phase),
      [
        ...["installing", "installing", "installing", "confirming"],
        ...["rolling_back", "rolling_back", "rolling_back"],
      ],
    );
  });

  it("has its deadline by the wall clock of now, for root's side counts in time since the boot", () => {
    assert.equal(viewOf({}).deadline_at, "2026-11-20T12:04:00.000Z");
    assert.equal(viewOf({ boot_id: "boot-0" }).deadline_at, null);
    assert.equal(viewOf({ deadline_uptime: null }).deadline_at, null);
  });

  it("says what has been asked, what was answered and what comes next", () => {
    const { state, message } = trialState(viewOf({}));
    assert.equal(state, "confirming");
    assert.match(message, /^Demo 2\.0\.0: .*4 more healthy answers in a row.*by 2026-11-20T12:04.*undone/);
    assert.match(message, /The last answer: status 503 instead of 200\.$/);
  });

  it("says why it is undone", () => {
    const undo = { outcome: "failed", reason: "It ended three times.", log: [] } as const;
    const { state, message } = trialState(viewOf({ phase: "undoing", undo }));
    assert.equal(state, "rolling_back");
    assert.match(message, /release before it is put to work again.*Why: It ended three times\./);
  });
});

describe("what the last attempt has left behind", () => {
  const entry: JournalEntry = {
    ...{
      sequence: 1,
      at: "2026-11-20T12:00:00.000Z",
      kind: "rules",
      release_id: "1".repeat(32),
      name: "base",
    },
    ...{ version: "1.1.0", from_version: "1.0.0", outcome: "good", detail: "It did not answer" },
    ...{ restored_healthy: true, seconds: 1, log: [] },
  };
  const after = (change: Partial<JournalEntry>) => outcomeState({ history: [{ ...entry, ...change }] });

  it("is nothing where nothing was ever tried, and where nothing was changed", () => {
    assert.equal(outcomeState({ history: [] }), null);
    assert.equal(after({ outcome: "refused" }), null);
  });

  it("is good where it proved healthy", () => {
    assert.deepEqual(after({}), {
      state: "good",
      message: "The rules base 1.1.0: applied at 2026-11-20T12:00:00.000Z, and healthy.",
    });
  });

  const cases: [JournalEntry["outcome"], RegExp][] = [
    ["failed", /not taken again: a newer release.*--again/],
    ["deferred", /tried again by itself in a day/],
    ["aborted", /held, and not taken again by itself/],
    ["rolled_back", /held, and not taken again by itself/],
  ];
  for (const [outcome, sequel] of cases) {
    it(`is rolled back after ${outcome}, with why, what follows and where the log is`, () => {
      const found = after({ outcome });
      assert.equal(found?.state, "rolled_back");
      assert.match(found?.message ?? "", /undone at .*It did not answer\. /);
      assert.match(found?.message ?? "", sequel);
      assert.match(found?.message ?? "", /steward update history/);
      assert.doesNotMatch(found?.message ?? "", /not healthy either/);
    });
  }

  it("calls for somebody where the release before is not healthy either", () =>
    assert.match(
      after({ outcome: "failed", restored_healthy: false })?.message ?? "",
      /not healthy either: look/,
    ));
});
