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
import { entry } from "../fixture.ts";

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
  it("is none where nothing is on trial, and names one that is gone back from as any other", () => {
    assert.equal(trialView(emptyJournal, moment), null);
    const committed = { at: "2026-11-19T12:00:00.000Z", boot_id: "boot-1", uptime: 500 };
    const release: GoodRelease = { ...trial.release, committed };
    assert.deepEqual(viewOf({ phase: "undoing", release }), viewOf({ phase: "undoing" }));
  });

  it("is in one of three phases", () => {
    const found = trialPhases.map((phase) => viewOf({ phase }).phase);
    assert.deepEqual(found, [...Array(3).fill("installing"), "confirming", ...Array(3).fill("rolling_back")]);
  });

  it("has its deadline by the wall clock of now, since the installer counts in time since the boot", () => {
    assert.equal(viewOf({}).deadline_at, "2026-11-20T12:04:00.000Z");
    for (const unknown of [{ boot_id: "boot-0" }, { deadline_uptime: null }])
      assert.equal(viewOf(unknown).deadline_at, null);
  });

  it("says what has been asked, what was answered and what comes next", () => {
    const { health, next } = viewOf({});
    const found = [next.code, next.answers_left, next.until];
    assert.deepEqual(found, ["collect_answers", 4, "2026-11-20T12:04:00.000Z"]);
    assert.deepEqual([health.last?.code, health.last?.detail], ["healthy", "status 503 instead of 200"]);
    assert.equal(viewOf({ health: { ...trial.health, successes: 0 } }).health.last?.code, "not_healthy");
    const { state, summary } = trialState(viewOf({}));
    assert.deepEqual([state, summary.code], ["confirming", "confirming"]);
    assert.match(
      summary.detail,
      /^demo 2\.0\.0 is .*4 more healthy answers in a row.*by 2026-11-20T12:04.*undone.* The last health check: status 503 instead of 200\.$/,
    );
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
  const ota = { enabled: true, auto_update_rules: true } as Settings["update"]["ota"];
  const after = (history: JournalEntry[], failed: FailedRelease[] = []) =>
    outcomeState({ history }, { failed, ota });
  const of = (change: Partial<JournalEntry>) =>
    entry(1, { restored_healthy: true, detail: "It did not answer", ...change });

  it("is nothing where nothing was ever tried, and where nothing was changed", () => {
    for (const history of [[], [of({ outcome: "refused" })]]) assert.equal(after(history), null);
  });

  for (const [outcome, words] of [
    ["good", /^base 1\.2\.0 was applied/],
    ["failed", /undone at .*It did not answer\. .*not applied again\. Wait for a newer release.*--again/],
    ["deferred", /because the device restarted\. An administrator can apply it/],
    ["aborted", /no longer applied automatically\. An administrator can.*steward update history/],
    ["rolled_back", /no longer applied automatically\. An administrator can/],
  ] as const)
    it(`is told after ${outcome}, with why and what follows`, () => {
      const { state, summary } = after([of({ outcome })]) ?? assert.fail("it is nothing");
      const [expected, code] = outcome === "good" ? ["good", "applied"] : ["rolled_back", "undone"];
      assert.deepEqual([state, summary.code], [expected, code]);
      assert.deepEqual(summary.releases, [{ kind: "rules", name: "base", version: "1.2.0" }]);
      if (outcome !== "good") assert.equal(summary.reason?.code, "unrecorded");
      assert.match(summary.detail, words);
      assert.doesNotMatch(summary.detail, /not healthy either/);
    });

  const failed = of({ outcome: "failed" });
  const broken = of({ outcome: "failed", restored_healthy: false, release_id: "9".repeat(32) });
  const second = (change: Partial<JournalEntry>) =>
    of({ sequence: 2, kind: "binary", name: "demo", ...change });
  const isHealthy = /^demo 1\.2\.0 was applied \S+ \S+ and is healthy\.$/;
  const isUnhealthy = /^base .* not healthy either: look.* demo 1\.2\.0 was undone/;
  const failure = (state: FailedRelease["state"]) => [{ id: failed.release_id, state } as FailedRelease];
  for (const [what, history, state, words, failures = failure("open")] of [
    [
      "is an open failure, before a success",
      [failed, second({})],
      "rolled_back",
      /^base .* demo 1\.2\.0 was applied/,
    ],
    ["is none that was dismissed", [failed, second({})], "good", isHealthy, failure("dismissed")],
    [
      "is what is not healthy, before that",
      [broken, second({ outcome: "failed" })],
      "rolled_back",
      isUnhealthy,
    ],
    [
      "is that also after a refusal",
      [failed, second({ outcome: "refused" })],
      "rolled_back",
      /^base 1\.2\.0 was undone/,
    ],
  ] as [string, JournalEntry[], string, RegExp, FailedRelease[]?][])
    it(what, () => {
      const found = after(history, failures);
      assert.equal(found?.state, state);
      assert.match(found?.summary.detail ?? "", words);
    });
});
