import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ClockMode } from "../../../src/clock/state/mode.ts";
import {
  afterRound,
  type ClockAfterRound,
  notSynced,
  type SyncState,
  syncStatusOf,
} from "../../../src/clock/state/sync-state.ts";
import type { Verdict } from "../../../src/clock/state/verdict.ts";
import { isSynchronised } from "../../../src/contract/clock/clock-word.ts";

const way: ClockMode = { kind: "discipline" };
const settled = { offsetSeconds: 0, frequencyDeviationPpm: 0 };

const measurement = {
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

function agreed(
  more: Partial<typeof measurement> = {},
  believed: ClockAfterRound["believed"] = settled,
): SyncState {
  const round = {
    verdict: { kind: "agreed" },
    measurement: { ...measurement, ...more },
    action: null,
  } as const;
  return afterRound(notSynced, round, { wallSeconds: 1e9 + 1_002, monotonicSeconds: 1_002, believed });
}

function afterVerdict(sync: SyncState, verdict: Verdict): SyncState {
  const round = { verdict, measurement: null, action: null };
  return afterRound(sync, round, { wallSeconds: 1e9, monotonicSeconds: 1_100, believed: settled });
}

const syncStatus = (sync: SyncState, monotonicSeconds: number, pollSeconds = 64, mostDistanceSeconds = 1.5) =>
  syncStatusOf(way, sync, null, { monotonicSeconds, pollSeconds, mostDistanceSeconds });

describe("how the clock stands", () => {
  it("is acquiring until a server was heard, and unsynchronised when none was", () => {
    assert.equal(syncStatus(notSynced, 10).state, "acquiring");
    assert.deepEqual(syncStatus(afterVerdict(notSynced, { kind: "no_time_source", refusal: null }), 10), {
      state: "unsynchronised",
      trust: "none",
      isAuthenticated: false,
      uncertaintySeconds: null,
    });
  });

  it("is authenticated by the servers that agree, as long as the time is trusted", () => {
    assert.equal(syncStatus(agreed({ isAuthenticated: true }), 1_010).isAuthenticated, true);
    assert.equal(syncStatus(agreed(), 1_010).isAuthenticated, false);
    const freerun = syncStatus(agreed({ isAuthenticated: true, uncertaintySeconds: 11 }), 1_010);
    assert.deepEqual([freerun.trust, freerun.isAuthenticated], ["none", false]);
  });

  // The first number of servers agrees; the second is set, silent ones among them.
  const votes: [number, number, "trusted" | "accepted"][] = [
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
  ];
  for (const [agreeing, configured, trust] of votes) {
    it(`is ${trust} when ${agreeing} of ${configured} agree`, () => {
      assert.equal(syncStatus(agreed({ agreeing, configured }), 1_010).trust, trust);
    });
  }

  for (const [uncertaintySeconds, trust] of [
    [0.5, "trusted"],
    [0.51, "accepted"],
  ] as const)
    it(`is ${trust} by a majority to within ${uncertaintySeconds} s`, () => {
      assert.equal(syncStatus(agreed({ uncertaintySeconds }), 1_000).trust, trust);
    });

  it("is not known beyond 10 s, or beyond what the time of a server may err by", () => {
    const windows = agreed({ uncertaintySeconds: 10.2 });
    const stateOf = (monotonicSeconds: number, most: number) => {
      const { state, trust } = syncStatus(windows, monotonicSeconds, 64, most);
      return [state, trust];
    };
    assert.deepEqual(stateOf(1_010, 1.5), ["freerun", "none"]);
    assert.deepEqual(stateOf(1_010, 16), ["synchronised", "accepted"]);
    // (16 − 10.2) s / 15 ppm = 386,667 s.
    assert.deepEqual(stateOf(387_600, 16), ["holdover", "accepted"]);
    assert.deepEqual(stateOf(387_700, 16), ["freerun", "none"]);
  });

  it("grows uncertain by 15 ppm when the frequency is known", () => {
    const { uncertaintySeconds } = syncStatus(agreed(), 2_000);
    assert.ok(Math.abs((uncertaintySeconds ?? 0) - (0.01 + 15e-6 * 1_000)) < 1e-12, `${uncertaintySeconds}`);
  });

  it("grows uncertain by as much as the frequency may err while it is not known, 500 ppm at most", () => {
    const known = agreed({}, { offsetSeconds: 0, frequencyDeviationPpm: 100 });
    const { uncertaintySeconds } = syncStatus(known, 2_000);
    assert.ok(Math.abs((uncertaintySeconds ?? 0) - (0.01 + 415e-6 * 1_000)) < 1e-12, `${uncertaintySeconds}`);
    const unknown = syncStatus(agreed({}, { offsetSeconds: 0, frequencyDeviationPpm: 1e6 }), 2_000);
    assert.ok(Math.abs((unknown.uncertaintySeconds ?? 0) - 0.51) < 1e-12, `${unknown.uncertaintySeconds}`);
  });

  it("adds what the filter believes otherwise than was measured", () => {
    const { uncertaintySeconds } = syncStatus(
      agreed({}, { offsetSeconds: 0.003, frequencyDeviationPpm: 0 }),
      1_000,
    );
    assert.ok(Math.abs((uncertaintySeconds ?? 0) - 0.013) < 1e-12, `${uncertaintySeconds}`);
  });

  it("is holdover after three polls, five minutes at least", () => {
    assert.equal(syncStatus(agreed(), 1_299).state, "synchronised");
    assert.equal(syncStatus(agreed(), 1_301).state, "holdover");
    assert.equal(syncStatus(agreed(), 1_000 + 3 * 1_024 - 1, 1_024).state, "synchronised");
  });

  it("is freerun and not trusted beyond ten seconds of uncertainty", () => {
    // (10 − 0.01) / 15 ppm = 666,000 s.
    assert.equal(syncStatus(agreed(), 1_000 + 665_900).trust, "trusted");
    assert.deepEqual(
      [syncStatus(agreed(), 1_000 + 666_100).state, syncStatus(agreed(), 1_000 + 666_100).trust],
      ["freerun", "none"],
    );
  });

  it("is faulty and not trusted when the sources contradict it", () => {
    for (const verdict of [
      { kind: "panic_threshold", seconds: 2_000 },
      { kind: "below_floor", measuredSeconds: 0 },
      { kind: "beyond_ceiling", measuredSeconds: 0 },
      { kind: "suspect", id: "a", seconds: 1 },
    ] as const) {
      const { state, trust } = syncStatus(afterVerdict(agreed(), verdict), 1_100);
      assert.deepEqual([state, trust], ["faulty", "none"], verdict.kind);
    }
  });

  it("keeps its trust through one poll that wants a step, and one without a majority", () => {
    assert.equal(
      syncStatus(afterVerdict(agreed(), { kind: "to_be_confirmed", seconds: 5 }), 1_100).trust,
      "trusted",
    );
    assert.equal(syncStatus(afterVerdict(agreed(), { kind: "no_majority" }), 1_100).state, "synchronised");
  });

  it("is accepted by hand until something better comes", () => {
    const byHand = { ...notSynced, setByHandAt: 900 };
    assert.deepEqual(
      [syncStatus(byHand, 1_000).state, syncStatus(byHand, 1_000).trust],
      ["manual", "accepted"],
    );
    assert.equal(agreed().setByHandAt, null);
  });

  it("counts as synchronised where servers or a daemon keep it right", () => {
    const is = (state: Parameters<typeof isSynchronised>[0]["state"], trust: "trusted" | "none") =>
      isSynchronised({ state, trust });
    assert.deepEqual(
      [is("synchronised", "trusted"), is("holdover", "trusted"), is("delegated", "trusted")],
      [true, true, true],
    );
    assert.deepEqual(
      [is("delegated", "none"), is("manual", "trusted"), is("faulty", "none")],
      [false, false, false],
    );
  });
});
