import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Release } from "../../../src/contract/types.ts";
import { holdBecause, releaseHold } from "../../../src/updates/facts/hold-reason.ts";
import { problemWith } from "../../../src/updates/facts/update-sentences.ts";
import {
  createQuietState,
  type Situation,
  stateOf,
  stateWith,
} from "../../../src/updates/status/update-summary.ts";
import { goodCheck, rules as stored } from "../fixture.ts";

const rules: Release = { ...stored, hold: null, staged: false };
const until = new Date("2026-11-21T02:00:00Z");
const held = (...because: Parameters<typeof holdBecause>): Release => ({
  ...rules,
  hold: releaseHold(holdBecause(...because)),
});
const [waved, windowed] = [held("wave", { until }), held("window", { until })];
const [disabled, forClock] = [held("disabled"), held("clock_not_trusted")];
const staged = (release: Release): Partial<Situation> => ({ releases: [{ ...release, staged: true }] });

const failed = {
  ...goodCheck,
  outcome: "failed",
  code: "update_server_unreachable",
  detail: "No connection.",
} as const;

const quiet: Situation = {
  ...{ quietState: createQuietState(), blocked: null, phase: null, downloading: null, isEnabled: true },
  ...{
    server: "https://updates.example",
    isClockTrusted: true,
    lastCheck: null,
    warnings: [],
    forOthers: null,
  },
  ...{ releases: [], trial: null, outcome: null, problems: [] },
};

const named = { releases: [{ kind: "rules" as const, name: "base", version: "1.1.0" }], at: failed.at };
const good = stateWith("good", "applied", named);
const undone = stateWith("rolled_back", "undone", named);
const inDoubt = { isClockTrusted: false };

describe("the state of updates", () => {
  const blocked = holdBecause("trust_not_installed");
  const problems = [
    problemWith("request_failed", {
      reason: { code: "internal_error", detail: "It broke.", count: null, last_answer: null },
    }),
  ];
  const downloading = { phase: "downloading", downloading: rules } as const;
  const doubtful = { ...inDoubt, lastCheck: { ...goodCheck, outcome: "waiting_for_clock" } as const };
  const trial = stateWith("confirming", "confirming");
  const wasGood = { outcome: good, lastCheck: goodCheck };
  const heldAfter = { outcome: undone, releases: [held("held")] };
  /** Only the facts of the words: the sentences have a table of their own (update-sentences). */
  for (const [what, situation, state, code, facts = /./] of [
    ["nothing was ever checked", {}, "idle", "not_checked"],
    ["the schedule is off", { isEnabled: false }, "idle", "not_checked_disabled", /\(update\.ota\.enabled\)/],
    ["there is no server", { server: "", isEnabled: false }, "idle", "server_not_set", /update\.ota\.server/],
    ["nothing newer is there", { lastCheck: goodCheck }, "idle", "nothing_newer"],
    ["the last check failed", { lastCheck: failed }, "idle", "check_failed", /No connection/],
    ["it is blocked", { blocked, phase: "checking" }, "blocked", "trust_not_installed", /^No root of/],
    ["it is checking", { phase: "checking", ...staged(rules) }, "checking", "checking"],
    ["base is downloaded", downloading, "downloading", "downloading", /base 1\.2\.0/],
    ["a release is downloaded", { phase: "downloading" }, "downloading", "downloading", /^A release/],
    ["something is there", { releases: [waved] }, "available", "available", /comes at 2026-11-21T02:00/],
    ["something is due", { releases: [rules] }, "available", "available", /^base 1\.2\.0/],
    ["the clock holds it up", { ...inDoubt, releases: [forClock] }, "waiting_for_clock", "waiting_for_clock"],
    ["another reason holds it, in doubt", { ...inDoubt, releases: [disabled] }, "available", "available"],
    ["the clock is good again", { releases: [forClock] }, "available", "available"],
    ["a check is in doubt", doubtful, "waiting_for_clock", "check_waiting_for_clock"],
    ["a good check was before the doubt", { ...inDoubt, lastCheck: goodCheck }, "idle", "nothing_newer"],
    ["it is staged", staged(rules), "staged", "staged"],
    ["it is staged and the clock is in doubt", { ...inDoubt, ...staged(forClock) }, "staged", "staged"],
    ["no window is open", staged(windowed), "waiting_for_window", "staged", /2026-11-21T02:00/],
    ["another reason holds it", staged(disabled), "staged", "staged", /\. Scheduled updates are off/],
    ["something is on trial", { blocked, trial }, "confirming", "confirming"],
    ["the last one is good", wasGood, "good", "applied", /healthy\. The last check/],
    ["something newer is there", { outcome: good, ...staged(rules) }, "staged", "staged"],
    ["the newest is held", heldAfter, "rolled_back", "undone", /^base 1\.1\.0/],
    ["the newest is deferred", { outcome: good, releases: [held("deferred")] }, "good", "applied"],
    ["it is held, and nothing was tried", { releases: [held("held")] }, "available", "available"],
    ["a request failed", { ...staged(rules), problems }, "staged", "staged", /applied\. It broke\.$/],
  ] as [string, Partial<Situation>, string, string, RegExp?][])
    it(`is ${state} when ${what}`, () => {
      const found = stateOf({ ...quiet, ...situation });
      assert.deepEqual([found.state, found.summary.code], [state, code]);
      assert.match(found.summary.detail, facts);
    });

  it("names the releases that it is about, and the first hold of these", () => {
    const binary = { ...rules, kind: "binary", name: "demo" } as const;
    const window = { ...windowed, staged: true };
    for (const [situation, state, names, hold] of [
      [{ releases: [binary, waved] }, "available", ["demo", "base"], "wave"],
      [{ releases: [waved, binary] }, "available", ["base", "demo"], "wave"],
      [{ releases: [disabled, waved] }, "available", ["base", "base"], "disabled"],
      [{ releases: [window, { ...binary, staged: true }] }, "staged", ["base", "demo"], "window"],
      [{ releases: [binary, { ...disabled, staged: true }] }, "staged", ["base"], "disabled"],
      [{ ...inDoubt, releases: [binary, forClock] }, "waiting_for_clock", ["base"], "clock_not_trusted"],
      [{ outcome: good, releases: [held("deferred"), binary] }, "available", ["demo"], undefined],
    ] as [Partial<Situation>, string, string[], string?][]) {
      const { state: found, summary } = stateOf({ ...quiet, ...situation });
      const { releases, hold: shown } = summary;
      assert.deepEqual([found, releases.map(({ name }) => name), shown?.code], [state, names, hold]);
    }
  });
});
