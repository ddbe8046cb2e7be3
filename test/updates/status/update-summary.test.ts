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
import { rules as stored } from "../example-releases.ts";

const broke = { code: "internal_error", detail: "It broke.", count: null, last_answer: null } as const;

const rules: Release = { ...stored, hold: null, staged: false };
const opens = new Date("2026-11-21T02:00:00Z");
const heldBecause = (...because: Parameters<typeof holdBecause>): Release => ({
  ...rules,
  hold: releaseHold(holdBecause(...because)),
});

const failed = {
  at: "2026-11-20T12:00:00.000Z",
  outcome: "failed",
  code: "update_server_unreachable",
  detail: "No connection.",
  requests: 1,
  body_bytes: 0,
} as const;

const quiet: Situation = {
  quietState: createQuietState(),
  blocked: null,
  phase: null,
  downloading: null,
  isEnabled: true,
  server: "https://updates.example",
  isClockTrusted: true,
  lastCheck: null,
  warnings: [],
  forOthers: null,
  releases: [],
  trial: null,
  outcome: null,
  problems: [],
};

const held = { isClockTrusted: false, releases: [heldBecause("clock_not_trusted")] };
const staged = { releases: [{ ...rules, staged: true }] };

const named = { releases: [{ kind: "rules", name: "base", version: "1.1.0" }] } as const;
const trial = stateWith("confirming", "confirming");
const good = stateWith("good", "applied", { releases: [...named.releases], at: failed.at });
const undone = stateWith("rolled_back", "undone", { releases: [...named.releases], at: failed.at });

describe("the state of updates", () => {
  const blocked = { blocked: holdBecause("trust_not_installed") };
  const off = { isEnabled: false };
  const ok = { ...failed, outcome: "ok" } as const;
  const inDoubt = { isClockTrusted: false, lastCheck: { ...failed, outcome: "waiting_for_clock" } as const };
  const downloading = {
    phase: "downloading",
    downloading: { kind: "binary", name: "demo", version: "2.0.0" },
  } as const;
  const waved = { releases: [heldBecause("wave", { until: opens })] };
  const stagedUnder = (hold: Release) => ({ releases: [{ ...hold, staged: true }] });
  const windowed = stagedUnder(heldBecause("window", { until: opens }));
  const problems = [problemWith("request_failed", { reason: broke })];
  const stagedOff = stagedUnder(heldBecause("disabled"));
  const undoneAgain = { outcome: undone, releases: [heldBecause("held")] };
  /** Only the facts of the words: the sentences have a table of their own (update-sentences). */
  const cases: [name: string, Partial<Situation>, state: string, code: string, facts?: RegExp][] = [
    ["nothing was ever checked", {}, "idle", "not_checked"],
    ["the schedule is off", off, "idle", "not_checked_disabled", /\(update\.ota\.enabled\)/],
    ["there is no server", { server: "", ...off }, "idle", "server_not_set", /update\.ota\.server/],
    ["nothing newer is there", { lastCheck: ok }, "idle", "nothing_newer"],
    ["the last check failed", { lastCheck: failed }, "idle", "check_failed", /No connection/],
    [
      "it is blocked",
      { ...held, ...blocked, phase: "checking" },
      "blocked",
      "trust_not_installed",
      /^No root of/,
    ],
    ["it is checking", { phase: "checking", ...staged }, "checking", "checking"],
    ["it is downloading", downloading, "downloading", "downloading", /demo 2\.0\.0/],
    ["something is there", waved, "available", "available", /comes at 2026-11-21T02:00/],
    ["something is due", { releases: [rules] }, "available", "available", /^base 1\.2\.0/],
    ["the clock holds it up", held, "waiting_for_clock", "waiting_for_clock"],
    ["a check is in doubt", inDoubt, "waiting_for_clock", "check_waiting_for_clock"],
    ["the clock is good again", { ...held, isClockTrusted: true }, "available", "available"],
    ["it is staged", staged, "staged", "staged"],
    ["it is staged and the clock is in doubt", { ...held, ...staged }, "staged", "staged"],
    ["it is staged and no window is open", windowed, "waiting_for_window", "staged", /2026-11-21T02:00/],
    ["another reason holds it", stagedOff, "staged", "staged", /\. Scheduled updates are off/],
    ["something is on trial", { ...staged, ...blocked, trial }, "confirming", "confirming"],
    ["the last one is good", { outcome: good, lastCheck: ok }, "good", "applied", /healthy\. The last check/],
    ["something newer is there", { outcome: good, ...staged }, "staged", "staged"],
    ["nothing is newer than what was undone", undoneAgain, "rolled_back", "undone", /^base 1\.1\.0/],
    ["a request failed", { ...staged, problems }, "staged", "staged", /applied\. It broke\.$/],
  ];
  for (const [name, overrides, state, code, facts = /./] of cases)
    it(`is ${state} when ${name}`, () => {
      const found = stateOf({ ...quiet, ...overrides });
      assert.deepEqual([found.state, found.summary.code], [state, code]);
      assert.match(found.summary.detail, facts);
    });

  it("names the first hold of several releases, whichever has one", () => {
    const free = { ...rules, kind: "binary", name: "demo" } as const;
    const codeOf = (...releases: Release[]) => stateOf({ ...quiet, releases }).summary.hold?.code ?? null;
    const [waved, off] = [heldBecause("wave", { until: opens }), heldBecause("disabled")];
    assert.deepEqual([codeOf(free, waved), codeOf(waved, free), codeOf(free)], ["wave", "wave", null]);
    const found = [codeOf(off, waved), codeOf({ ...free, staged: true }, { ...off, staged: true })];
    assert.deepEqual(found, ["disabled", "disabled"]);
    const held = stateOf({
      ...quiet,
      isClockTrusted: false,
      releases: [free, heldBecause("clock_not_trusted")],
    });
    const seen = [held.state, held.summary.releases.length, held.summary.hold?.code];
    assert.deepEqual(seen, ["waiting_for_clock", 1, "clock_not_trusted"]);
  });

  it("waits for the clock with what is not here alone, and where a check is in doubt", () => {
    const held = heldBecause("clock_not_trusted");
    const stateWith_ = (change: Partial<Situation>) =>
      stateOf({ ...quiet, isClockTrusted: false, ...change }).state;
    assert.equal(stateWith_({ releases: [{ ...held, staged: true }] }), "staged");
    assert.equal(stateWith_({ lastCheck: { ...failed, outcome: "ok" } }), "idle");
    assert.equal(stateWith_({ releases: [heldBecause("disabled")] }), "available");
  });

  it("counts a release that is held or deferred as nothing new to do", () => {
    const summaryOf = (...releases: Release[]) => stateOf({ ...quiet, releases, outcome: good }).summary;
    for (const code of ["held", "deferred"] as const) {
      assert.equal(summaryOf(heldBecause(code)).code, "applied");
      assert.equal(stateOf({ ...quiet, releases: [heldBecause(code)] }).summary.code, "available");
      assert.deepEqual(
        summaryOf(heldBecause(code), { ...rules, name: "other" }).releases.map(({ name }) => name),
        ["other"],
      );
    }
    assert.equal(summaryOf(heldBecause("wave", { until: opens })).code, "available");
  });

  it("names no release while none is known to be downloaded", () => {
    const { summary } = stateOf({ ...quiet, phase: "downloading" });
    assert.deepEqual([summary.releases, summary.detail], [[], "A release is being downloaded."]);
  });
});
