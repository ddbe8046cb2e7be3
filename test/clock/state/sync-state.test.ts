import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Measurement } from "../../../src/clock/discipline/discipline.ts";
import {
  afterRound,
  type ClockAfterRound,
  notSynced,
  type SyncState,
  syncStatusOf,
} from "../../../src/clock/state/sync-state.ts";
import type { Verdict } from "../../../src/clock/state/verdict.ts";
import { isSynchronised } from "../../../src/contract/clock/clock-word.ts";

const measurement: Measurement = {
  ...{ atSeconds: 1_000, offsetSeconds: 0, uncertaintySeconds: 0.01 },
  ...{ jitterSeconds: 1e-4, noiseSeconds: 1e-4, usualNoiseSeconds: 1e-4 },
  ...{ agreeing: 3, disagreeing: 0, configured: 4, isAuthenticated: false },
};

/** Servers agreed at 1,000 s. `believed`: the filter's estimate. */
function agreed(
  more: Partial<Measurement> = {},
  believed: Partial<ClockAfterRound["believed"]> = {},
): SyncState {
  const round = {
    verdict: { kind: "agreed" },
    measurement: { ...measurement, ...more },
    action: null,
  } as const;
  const now = { wallSeconds: 1e9 + 1_002, monotonicSeconds: 1_002 };
  const filter = { offsetSeconds: 0, frequencyDeviationPpm: 0, ...believed };
  return afterRound(notSynced, round, { ...now, believed: filter });
}

function afterVerdict(sync: SyncState, verdict: Verdict): SyncState {
  const round = { verdict, measurement: null, action: null };
  return afterRound(sync, round, { wallSeconds: 1e9, monotonicSeconds: 1_100, believed: null });
}

const windows = agreed({ uncertaintySeconds: 10.2 });
const wide = { mostDistanceSeconds: 16 };
const silence = afterVerdict(notSynced, { kind: "no_time_source", refusal: null });
const far = agreed({ isAuthenticated: true, uncertaintySeconds: 11 });
const byHand = { ...notSynced, setByHandAt: 900 };

/** The event, monotonic seconds at which it is looked at, and `state, trust, uncertainty`, each if it matters; `now`: the settings. */
const rows: readonly (readonly [
  what: string,
  sync: SyncState,
  atSeconds: number,
  status: string,
  now?: { readonly pollSeconds?: number; readonly mostDistanceSeconds?: number },
])[] = [
  ["no server was heard yet", notSynced, 10, "acquiring - -"],
  ["no server could be heard", silence, 10, "unsynchronised none null"],
  ["a majority agrees to within 0.5 s", agreed({ uncertaintySeconds: 0.5 }), 1_000, "- trusted -"],
  ["a majority agrees to within 0.51 s", agreed({ uncertaintySeconds: 0.51 }), 1_000, "- accepted -"],
  ["servers may err by 10.2 s", windows, 1_010, "freerun none -"],
  ["servers may err by 10.2 s where 16 s are allowed", windows, 1_010, "synchronised accepted -", wide],
  ["the same just before (16 − 10.2) s / 15 ppm = 386,667 s", windows, 387_600, "holdover accepted -", wide],
  ["the same after that", windows, 387_700, "freerun none -", wide],
  ["the frequency is known: 15 ppm", agreed(), 2_000, "- - 0.025"],
  // Four times as much, and 15 ppm.
  ["the frequency may err by 100 ppm", agreed({}, { frequencyDeviationPpm: 100 }), 2_000, "- - 0.425"],
  ["no frequency: 500 ppm", agreed({}, { frequencyDeviationPpm: 1e6 }), 2_000, "- - 0.51"],
  ["the filter differs", agreed({}, { offsetSeconds: 0.003 }), 1_000, "- - 0.013"],
  ["five minutes ago they agreed", agreed(), 1_299, "synchronised - -"],
  ["more than five minutes ago they agreed", agreed(), 1_301, "holdover - -"],
  ["three polls ago", agreed(), 1_000 + 3 * 1_024 - 1, "synchronised - -", { pollSeconds: 1_024 }],
  ["just before (10 − 0.01) s / 15 ppm = 666,000 s", agreed(), 666_900, "- trusted -"],
  ["after that", agreed(), 667_100, "freerun none -"],
  [
    "panic_threshold",
    afterVerdict(agreed(), { kind: "panic_threshold", seconds: 9 }),
    1_100,
    "faulty none -",
  ],
  [
    "below_floor",
    afterVerdict(agreed(), { kind: "below_floor", measuredSeconds: 0 }),
    1_100,
    "faulty none -",
  ],
  ["beyond", afterVerdict(agreed(), { kind: "beyond_ceiling", measuredSeconds: 0 }), 1_100, "faulty none -"],
  ["suspect", afterVerdict(agreed(), { kind: "suspect", id: "a", seconds: 1 }), 1_100, "faulty none -"],
  ["a step", afterVerdict(agreed(), { kind: "to_be_confirmed", seconds: 5 }), 1_100, "- trusted -"],
  ["no majority", afterVerdict(agreed(), { kind: "no_majority" }), 1_100, "synchronised - -"],
  ["an administrator set it", byHand, 1_000, "manual accepted -"],
];

const statusAt = (sync: SyncState, monotonicSeconds: number, now: (typeof rows)[number][4] = {}) =>
  syncStatusOf({ kind: "discipline" }, sync, null, {
    ...{ monotonicSeconds, pollSeconds: 64, mostDistanceSeconds: 1.5, ...now },
  });

describe("the state of the clock", () => {
  for (const [what, sync, atSeconds, expected, now] of rows)
    it(`${what}: ${expected}`, () => {
      const { state, trust, uncertaintySeconds } = statusAt(sync, atSeconds, now);
      const rounded = uncertaintySeconds && Math.round(uncertaintySeconds * 1e12) / 1e12;
      const found = `${state} ${trust} ${rounded}`.split(" ");
      const wanted = expected.split(" ").map((word, place) => (word === "-" ? found[place] : word));
      assert.deepEqual(found, wanted);
    });

  it("is authenticated where the servers that agree are, and their time is known well enough", () => {
    const found = [agreed({ isAuthenticated: true }), agreed(), far, silence].map(
      (sync) => statusAt(sync, 1_010).isAuthenticated,
    );
    assert.deepEqual(found, [true, false, false, false]);
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
