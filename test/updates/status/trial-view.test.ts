import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { FailedRelease, Settings } from "../../../src/contract/types.ts";
import { outcomeCause } from "../../../src/releases/outcome-reasons.ts";
import {
  emptyJournal,
  type GoodRelease,
  type JournalEntry,
  type Trial,
} from "../../../src/releases/release-journal.ts";
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

  it("names the release that is gone back from as any other, without what the journal keeps of it", () => {
    const committed = { at: "2026-11-19T12:00:00.000Z", boot_id: "boot-1", uptime: 500 };
    const release: GoodRelease = { ...trial.release, committed };
    assert.deepEqual(viewOf({ phase: "undoing", release }), viewOf({ phase: "undoing" }));
  });

  it("is in one of three phases", () => {
    const found = trialPhases.map((phase) => viewOf({ phase }).phase);
    assert.deepEqual(found, [
      ...["installing", "installing", "installing", "confirming"],
      ...["rolling_back", "rolling_back", "rolling_back"],
    ]);
  });

  it("has its deadline by the wall clock of now, since the installer counts in time since the boot", () => {
    assert.equal(viewOf({}).deadline_at, "2026-11-20T12:04:00.000Z");
    assert.equal(viewOf({ boot_id: "boot-0" }).deadline_at, null);
    assert.equal(viewOf({ deadline_uptime: null }).deadline_at, null);
  });

  it("says what has been asked, what was answered and what comes next", () => {
    const { health, next } = viewOf({});
    const found = [next.code, next.answers_left, next.until];
    assert.deepEqual(found, ["collect_answers", 4, "2026-11-20T12:04:00.000Z"]);
    assert.deepEqual([health.last?.code, health.last?.detail], ["healthy", "status 503 instead of 200"]);
    const { state, summary } = trialState(viewOf({}));
    assert.deepEqual([state, summary.code], ["confirming", "confirming"]);
    assert.match(
      summary.detail,
      /^demo 2\.0\.0 is .*4 more healthy answers in a row.*by 2026-11-20T12:04.*undone/,
    );
    assert.match(summary.detail, /The last health check: status 503 instead of 200\.$/);
  });

  it("says why it is undone", () => {
    const cause = outcomeCause("unclean_exits", { count: 3 });
    const undo = { outcome: "failed", reason: "It ended three times.", cause, log: [] } as const;
    const { state, summary } = trialState(viewOf({ phase: "undoing", undo }));
    const found = [state, summary.reason?.code, summary.reason?.count];
    assert.deepEqual(found, ["rolling_back", "unclean_exits", 3]);
    assert.match(summary.detail, /previous release is activated next.*Reason: It ended three times\./);
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
  const ota = { enabled: true, auto_update_rules: true } as Settings["update"]["ota"];
  const facts = { failed: [], ota };
  const after = (change: Partial<JournalEntry>) =>
    outcomeState({ history: [{ ...entry, ...change }] }, facts);

  it("is nothing where nothing was ever tried, and where nothing was changed", () => {
    assert.equal(outcomeState({ history: [] }, facts), null);
    assert.equal(after({ outcome: "refused" }), null);
  });

  describe("of two kinds is the graver one, with that of the other beside it", () => {
    const rules = { ...entry, restored_healthy: true, outcome: "failed", version: "1.1.0" } as const;
    const binary = { ...entry, sequence: 2, kind: "binary", name: "demo", version: "2.0.0" } as const;
    const failure = (state: FailedRelease["state"]) => [{ id: entry.release_id, state } as FailedRelease];
    const [open, dismissed] = [failure("open"), failure("dismissed")];
    const broken = { ...rules, restored_healthy: false, release_id: "9".repeat(32) };
    const brokenFirst = [broken, { ...rules, sequence: 2, kind: "binary", name: "demo" } as const];
    const isHealthy = /^demo 2\.0\.0 was applied \S+ \S+ and is healthy\.$/;
    const isUndone = /^base 1\.1\.0 was undone/;
    const bothUndone = /^base 1\.1\.0 .* is not healthy either.* demo 1\.1\.0 was undone/;
    const refused = { ...binary, outcome: "refused" } as const;
    const rows: [string, JournalEntry[], FailedRelease[], string, RegExp][] = [
      ["an open failure", [rules, binary], open, "rolled_back", /^base 1\.1\.0 .* demo 2\.0\.0 was applied/],
      ["but none that was dismissed", [rules, binary], dismissed, "good", isHealthy],
      ["one that is not healthy, before an open failure", brokenFirst, open, "rolled_back", bothUndone],
      ["also after a refusal", [rules, refused], open, "rolled_back", isUndone],
    ];
    for (const [name, history, failed, state, detail] of rows)
      it(name, () => {
        const found = outcomeState({ history }, { ...facts, failed });
        assert.equal(found?.state, state);
        assert.match(found?.summary.detail ?? "", detail);
      });
  });

  const cases: [JournalEntry["outcome"], code: string, words: RegExp][] = [
    ["good", "applied", /^base 1\.1\.0 was applied/],
    [
      "failed",
      "undone",
      /undone at .*It did not answer\. .*not applied again\. Wait for a newer release.*--again/,
    ],
    ["deferred", "undone", /because the device restarted\. An administrator can apply it/],
    ["aborted", "undone", /no longer applied automatically\. An administrator can.*steward update history/],
    ["rolled_back", "undone", /no longer applied automatically\. An administrator can/],
  ];
  for (const [outcome, code, words] of cases)
    it(`is told after ${outcome}, with why and what follows`, () => {
      const { state, summary } = after({ outcome }) ?? assert.fail("it is nothing");
      assert.deepEqual([state, summary.code], [outcome === "good" ? "good" : "rolled_back", code]);
      assert.deepEqual(summary.releases, [{ kind: "rules", name: "base", version: "1.1.0" }]);
      if (outcome !== "good") assert.equal(summary.reason?.code, "unrecorded");
      assert.match(summary.detail, words);
      assert.doesNotMatch(summary.detail, /not healthy either/);
    });

  it("calls for a person where the release before is not healthy either", () =>
    assert.match(
      after({ outcome: "failed", restored_healthy: false })?.summary.detail ?? "",
      /not healthy either: look/,
    ));
});
