import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Release } from "../../../src/contract/types.ts";
import { type Situation, stateOf } from "../../../src/updates/status/update-summary.ts";
import { rules as stored } from "../example-releases.ts";

const rules: Release = { ...stored, hindrance: null, staged: false };

const failed = {
  at: "2026-11-20T12:00:00.000Z",
  outcome: "failed",
  code: "update_server_unreachable",
  detail: "No connection.",
  requests: 1,
  body_bytes: 0,
} as const;

const quiet: Situation = {
  blocked: null,
  phase: null,
  fetching: null,
  isEnabled: true,
  server: "https://updates.example",
  isClockTrusted: true,
  lastCheck: null,
  blockers: [],
  forOthers: null,
  releases: [],
  waitingForClock: new Set(),
  waitingForWindow: new Set(),
  setAside: new Set(),
  trial: null,
  outcome: null,
  problem: null,
};

const held = { isClockTrusted: false, releases: [rules], waitingForClock: new Set([rules.id]) };
const staged = { releases: [{ ...rules, staged: true }] };

const trial = { state: "confirming", message: "Watched." } as const;
const good = { state: "good", message: "Well." } as const;
const undone = { state: "rolled_back", message: "Undone." } as const;

describe("the state of updates", () => {
  const cases: [string, Partial<Situation>, string, RegExp][] = [
    ["nothing was ever looked for", {}, "idle", /first one comes by itself/],
    ["the schedule is off", { isEnabled: false }, "idle", /update\.ota\.enabled is off/],
    ["there is no server", { server: "", isEnabled: false }, "idle", /set update\.ota\.server/],
    ["nothing newer is there", { lastCheck: { ...failed, outcome: "ok" } }, "idle", /nothing newer/],
    ["the last check failed", { lastCheck: failed }, "idle", /No connection/],
    [
      "it is blocked, whatever else is so",
      { ...held, blocked: "No.", phase: "checking" },
      "blocked",
      /^No\.$/,
    ],
    ["it is checking", { phase: "checking", ...staged }, "checking", /Looking/],
    ["it is downloading", { phase: "downloading", fetching: "demo 2.0.0" }, "downloading", /demo 2\.0\.0/],
    [
      "something is there",
      { releases: [{ ...rules, hindrance: "it is early" }] },
      "available",
      /it is early/,
    ],
    ["something is due", { releases: [rules] }, "available", /The rules base 1\.2\.0.*next check fetches/],
    ["the clock holds it up", held, "waiting_for_clock", /nobody vouches/],
    [
      "the clock left a check in doubt",
      { isClockTrusted: false, lastCheck: { ...failed, outcome: "waiting_for_clock" } },
      "waiting_for_clock",
      /could not tell/,
    ],
    ["the clock is good again", { ...held, isClockTrusted: true }, "available", /available/],
    ["it is staged", staged, "staged", /verified, and can be applied/],
    ["it is staged and the clock is in doubt", { ...held, ...staged }, "staged", /verified/],
    [
      "it is staged and no window is open",
      {
        releases: [{ ...rules, staged: true, hindrance: "update.windows opens at 2026-11-21T02:00" }],
        waitingForWindow: new Set([rules.id]),
      },
      "waiting_for_window",
      /2026-11-21T02:00/,
    ],
    [
      "it is staged and something else than a window holds it up",
      { releases: [{ ...rules, staged: true, hindrance: "it is held back" }] },
      "staged",
      /can be applied: it is held back/,
    ],
    ["something is on trial", { ...staged, blocked: "No.", trial }, "confirming", /^Watched\.$/],
    [
      "the last one is good",
      { outcome: good, lastCheck: { ...failed, outcome: "ok" } },
      "good",
      /^Well\. The last/,
    ],
    ["there is something newer than the good one", { outcome: good, ...staged }, "staged", /verified/],
    [
      "there is nothing newer than what was undone",
      { outcome: undone, releases: [rules], setAside: new Set([rules.id]) },
      "rolled_back",
      /^Undone\./,
    ],
    [
      "something was asked for in vain",
      { ...staged, problem: "It broke." },
      "staged",
      /applied\. It broke\.$/,
    ],
  ];
  for (const [name, overrides, state, message] of cases) {
    it(`is ${state} when ${name}`, () => {
      const found = stateOf({ ...quiet, ...overrides });
      assert.equal(found.state, state);
      assert.match(found.message, message);
    });
  }
});
