import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Measurement } from "../../../src/clock/discipline/discipline.ts";
import {
  afterRound,
  type ClockAfterRound,
  notSynced,
  type SyncState,
  type SyncStatus,
  syncStatusOf,
} from "../../../src/clock/state/sync-state.ts";
import type { Verdict } from "../../../src/clock/state/verdict.ts";
import { isSynchronised } from "../../../src/contract/clock/clock-word.ts";

const measurement: Measurement = {
  atSeconds: 1_000,
  offsetSeconds: 0,
  jitterSeconds: 1e-4,
  noiseSeconds: 1e-4,
  usualNoiseSeconds: 1e-4,
  uncertaintySeconds: 0.01,
  agreeing: 3,
  disagreeing: 0,
  configured: 4,
  isAuthenticated: false,
};

/** Servers agreed at 1,000 s. `believed`: the filter's estimate. */
function agreed(
  more: Partial<Measurement> = {},
  believed: Partial<ClockAfterRound["believed"]> = {},
): SyncState {
  return afterRound(
    notSynced,
    { verdict: { kind: "agreed" }, measurement: { ...measurement, ...more }, action: null },
    {
      wallSeconds: 1e9 + 1_002,
      monotonicSeconds: 1_002,
      believed: { offsetSeconds: 0, frequencyDeviationPpm: 0, ...believed },
    },
  );
}

function afterVerdict(sync: SyncState, verdict: Verdict): SyncState {
  const round = { verdict, measurement: null, action: null };
  return afterRound(sync, round, { wallSeconds: 1e9, monotonicSeconds: 1_100, believed: null });
}

const windows = agreed({ uncertaintySeconds: 10.2 });
const byHand = { ...notSynced, setByHandAt: 900 };
const faulty = { state: "faulty", trust: "none" } as const;

/** The event, monotonic seconds at which it is looked at, and some of the status then; `now`: the settings. */
const rows: readonly (readonly [
  what: string,
  sync: SyncState,
  atSeconds: number,
  status: Partial<SyncStatus>,
  now?: { readonly pollSeconds?: number; readonly mostDistanceSeconds?: number },
])[] = [
  ["no server was heard yet", notSynced, 10, { state: "acquiring" }],
  [
    "no server could be heard",
    afterVerdict(notSynced, { kind: "no_time_source", refusal: null }),
    10,
    { state: "unsynchronised", trust: "none", isAuthenticated: false, uncertaintySeconds: null },
  ],
  ["authenticated servers agree", agreed({ isAuthenticated: true }), 1_010, { isAuthenticated: true }],
  ["others agree", agreed(), 1_010, { isAuthenticated: false }],
  [
    "authenticated servers agree to within 11 s",
    agreed({ isAuthenticated: true, uncertaintySeconds: 11 }),
    1_010,
    { trust: "none", isAuthenticated: false },
  ],
  ["a majority agrees to within 0.5 s", agreed({ uncertaintySeconds: 0.5 }), 1_000, { trust: "trusted" }],
  ["a majority agrees to within 0.51 s", agreed({ uncertaintySeconds: 0.51 }), 1_000, { trust: "accepted" }],
  ["servers may err by 10.2 s", windows, 1_010, { state: "freerun", trust: "none" }],
  [
    "servers may err by 10.2 s where 16 s are allowed",
    windows,
    1_010,
    { state: "synchronised", trust: "accepted" },
    { mostDistanceSeconds: 16 },
  ],
  [
    "the same just before (16 − 10.2) s / 15 ppm = 386,667 s",
    windows,
    387_600,
    { state: "holdover", trust: "accepted" },
    { mostDistanceSeconds: 16 },
  ],
  ["the same after that", windows, 387_700, { state: "freerun", trust: "none" }, { mostDistanceSeconds: 16 }],
  ["the frequency is known: 15 ppm", agreed(), 2_000, { uncertaintySeconds: 0.01 + 15e-6 * 1_000 }],
  [
    "the frequency may err by 100 ppm: four times as much, and 15 ppm",
    agreed({}, { frequencyDeviationPpm: 100 }),
    2_000,
    { uncertaintySeconds: 0.01 + 415e-6 * 1_000 },
  ],
  ["no frequency: 500 ppm", agreed({}, { frequencyDeviationPpm: 1e6 }), 2_000, { uncertaintySeconds: 0.51 }],
  ["the filter differs", agreed({}, { offsetSeconds: 0.003 }), 1_000, { uncertaintySeconds: 0.013 }],
  ["five minutes ago they agreed", agreed(), 1_299, { state: "synchronised" }],
  ["more than five minutes ago they agreed", agreed(), 1_301, { state: "holdover" }],
  ["three polls ago", agreed(), 1_000 + 3 * 1_024 - 1, { state: "synchronised" }, { pollSeconds: 1_024 }],
  ["just before (10 − 0.01) s / 15 ppm = 666,000 s", agreed(), 666_900, { trust: "trusted" }],
  ["after that", agreed(), 667_100, { state: "freerun", trust: "none" }],
  ["panic_threshold", afterVerdict(agreed(), { kind: "panic_threshold", seconds: 2_000 }), 1_100, faulty],
  ["below_floor", afterVerdict(agreed(), { kind: "below_floor", measuredSeconds: 0 }), 1_100, faulty],
  ["beyond_ceiling", afterVerdict(agreed(), { kind: "beyond_ceiling", measuredSeconds: 0 }), 1_100, faulty],
  ["suspect", afterVerdict(agreed(), { kind: "suspect", id: "a", seconds: 1 }), 1_100, faulty],
  ["a step", afterVerdict(agreed(), { kind: "to_be_confirmed", seconds: 5 }), 1_100, { trust: "trusted" }],
  ["no majority", afterVerdict(agreed(), { kind: "no_majority" }), 1_100, { state: "synchronised" }],
  ["an administrator set it", byHand, 1_000, { state: "manual", trust: "accepted" }],
];

describe("the state of the clock", () => {
  for (const [what, sync, monotonicSeconds, status, now = {}] of rows)
    it(`${what}: ${Object.values(status).join(", ")}`, () => {
      const present = { monotonicSeconds, pollSeconds: 64, mostDistanceSeconds: 1.5, ...now };
      const { uncertaintySeconds, ...found } = syncStatusOf({ kind: "discipline" }, sync, null, present);
      const { uncertaintySeconds: expected = uncertaintySeconds, ...others } = status;
      assert.deepEqual({ ...found, ...others }, found);
      const isNear = Math.abs((uncertaintySeconds ?? 0) - (expected ?? 0)) < 1e-12;
      assert.ok(isNear && (expected === null) === (uncertaintySeconds === null), `${uncertaintySeconds} s`);
    });

  // The first number of servers agrees; the second is set, silent ones among them.
  for (const [agreeing, configured, trust] of [
    [1, 1, "accepted"],
    [1, 2, "accepted"],
    [2, 2, "trusted"],
    [2, 3, "trusted"],
    [2, 4, "accepted"],
    [3, 4, "trusted"],
    [2, 5, "accepted"],
    [3, 5, "trusted"],
    [4, 8, "accepted"],
    [5, 8, "trusted"],
  ] as const)
    it(`is ${trust} when ${agreeing} of ${configured} agree`, () => {
      assert.equal(agreed({ agreeing, configured }).synced?.trust, trust);
    });

  it("is no longer set by hand once servers agree", () => {
    assert.equal(agreed().setByHandAt, null);
  });

  it("counts as synchronised where servers or a daemon keep it right", () => {
    for (const [state, trust, is] of [
      ["synchronised", "trusted", true],
      ["holdover", "trusted", true],
      ["delegated", "trusted", true],
      ["delegated", "none", false],
      ["manual", "trusted", false],
      ["faulty", "none", false],
    ] as const)
      assert.equal(isSynchronised({ state, trust }), is, `${state}, ${trust}`);
  });
});
