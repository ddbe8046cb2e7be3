import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { reportOfKernel } from "../../../src/clock/daemons/external-daemon.ts";
import { type Effect, effectsOf } from "../../../src/clock/loop/effects.ts";
import {
  afterExternalChange,
  type Check,
  enterMode,
  initialState,
  type LoopState,
} from "../../../src/clock/state/loop-state.ts";
import type { ClockMode } from "../../../src/clock/state/mode.ts";
import { disturbedRound, type Round } from "../../../src/clock/state/round.ts";
import { notSynced, type SyncState } from "../../../src/clock/state/sync-state.ts";

const start = initialState({ blocker: null, wasRightAtStart: false });
const discipline: ClockMode = { kind: "discipline" };
const daemon: ClockMode = { kind: "delegate", daemon: "chronyd" };
const backingOff: ClockMode = { kind: "observe", because: "external_change", daemon: null };
const now = { hostOffsetSeconds: 0, monotonicSeconds: 100 };
const steering: LoopState = { ...start, mode: discipline };

const measurement = {
  ...{ atSeconds: 90, offsetSeconds: 0.001, jitterSeconds: 1e-4, noiseSeconds: 1e-4 },
  ...{ usualNoiseSeconds: 1e-4, uncertaintySeconds: 0.01, agreeing: 3, disagreeing: 0, configured: 3 },
  isAuthenticated: false,
};
const agreed: Round = {
  ...{ verdict: { kind: "agreed" }, isAnswered: true, measurement, action: null },
  ...{ hostOffsetSeconds: 0.001, contradiction: null },
};
const check: Check = {
  syncStatus: { state: "synchronised", trust: "trusted", isAuthenticated: false, uncertaintySeconds: 0.01 },
  ...{ isBelowFloor: false, isDisturbed: false, pendingSeconds: 0.002, leap: "none" },
};
const sync: SyncState = {
  ...notSynced,
  synced: {
    ...{
      trust: "trusted",
      isAuthenticated: false,
      agreeing: 3,
      configured: 3,
      atMonotonic: 90,
      at: new Date(0),
    },
    ...{ uncertaintySeconds: 0.01, jitterSeconds: 0.003, growth: 15e-6 },
  },
};

const kinds = (effects: readonly Effect[]) => effects.map(({ kind }) => kind);
const events = (effects: readonly Effect[]) =>
  effects.flatMap((effect) => (effect.kind === "tell" ? [[effect.type, effect.details]] : []));
const entered = (before: LoopState, mode: ClockMode) =>
  effectsOf(before, enterMode(before, mode, now)).find((effect) => effect.kind === "take_clock");

describe("what follows from a change of the clock's state", () => {
  it("is nothing where nothing has changed", () => {
    assert.deepEqual(effectsOf(steering, { ...steering }), []);
  });

  describe("when a mode begins", () => {
    it("takes the host's clock, forgets what was said of the other, and steps to the floor", () => {
      const effects = effectsOf(start, enterMode(start, discipline, now));
      assert.deepEqual(kinds(effects), ["take_clock", "forget_samples", "step_to_floor"]);
      assert.deepEqual(effects[0], {
        ...{ kind: "take_clock", clock: "host", isFresh: true, carriesOffset: true, externalSeconds: 0 },
      });
    });

    it("leaves a daemon's clock where it stands", () => {
      assert.deepEqual(kinds(effectsOf(start, enterMode(start, daemon, now))), [
        "take_clock",
        "forget_samples",
      ]);
      assert.deepEqual(entered(start, daemon)?.carriesOffset, false);
    });

    const synchronised = reportOfKernel(true, null);
    const freshness: [what: string, before: LoopState, mode: ClockMode, isFresh: boolean][] = [
      ["the first mode of a boot", start, discipline, true],
      [
        "the first mode of an agent whose clock was right in this boot",
        { ...start, wasRightAtStart: true },
        discipline,
        false,
      ],
      [
        "after a daemon that knew the time",
        { ...start, mode: daemon, report: synchronised },
        discipline,
        false,
      ],
      [
        "after a daemon that did not know the time",
        { ...start, mode: daemon, report: reportOfKernel(false, null) },
        discipline,
        true,
      ],
      ["after a back-off", { ...start, mode: backingOff }, discipline, false],
      ["a back-off", steering, backingOff, false],
    ];
    for (const [what, before, mode, isFresh] of freshness) {
      it(`${what}: ${isFresh ? "nothing relies on the clock yet" : "no unrequested leap"}`, () => {
        assert.equal(entered(before, mode)?.isFresh, isFresh);
      });
    }

    it("does not carry what an external step moved the clock by", () => {
      assert.equal(entered({ ...steering, externalSeconds: 5 }, backingOff)?.externalSeconds, 5);
    });
  });

  it("tells a step of the host's clock, and not one of the virtual clock", () => {
    const lastStep = { at: new Date(0), seconds: 3, isOfHost: true };
    const ofHost = effectsOf(steering, { ...steering, lastStep });
    assert.deepEqual(kinds(ofHost), ["hold_down_floor", "tell"]);
    assert.deepEqual(events(ofHost), [["clock.stepped", { seconds: 3 }]]);
    const ofVirtual = effectsOf(steering, { ...steering, lastStep: { ...lastStep, isOfHost: false } });
    assert.deepEqual(kinds(ofVirtual), ["hold_down_floor"]);
  });

  it("counts and tells each external change with its code, and measures anew", () => {
    const change = { kind: "step", seconds: -2 } as const;
    const once = afterExternalChange(steering, change, 100);
    const effects = effectsOf(steering, once);
    assert.deepEqual(kinds(effects), ["count", "forget_samples", "hold_down_floor", "tell", "measure_soon"]);
    assert.deepEqual(events(effects), [
      [
        "clock.contested",
        {
          ...{ code: "clock_stepped", step_seconds: -2, frequency_ppm: null },
          conflict: "Another program or person set the clock back by 2.00 s.",
        },
      ],
    ]);
    assert.deepEqual(kinds(effectsOf(once, afterExternalChange(once, change, 100))), kinds(effects));
  });

  describe("after a round", () => {
    it("adds to the history and keeps the record where the sources agree", () => {
      const effects = effectsOf(steering, { ...steering, round: agreed });
      assert.deepEqual(kinds(effects), ["read_rtc", "add_history", "keep_record"]);
      assert.deepEqual(effects[1], {
        kind: "add_history",
        point: { offsetSeconds: 0.001, uncertaintySeconds: 0.01 },
      });
    });

    it("tells of a panic once", () => {
      const round: Round = { ...agreed, verdict: { kind: "panic_threshold", seconds: 2_000 } };
      const panicking: LoopState = { ...steering, round, lastVerdict: "panic_threshold" };
      const first = effectsOf(steering, panicking);
      assert.deepEqual(events(first), [["clock.panicked", { offset_seconds: 2_000 }]]);
      assert.deepEqual(events(effectsOf(panicking, { ...panicking, round: { ...round } })), []);
    });

    it("tells of a second opinion that gives another time", () => {
      const contradiction = { source: "ntp1.example", offsetSeconds: 9 };
      assert.deepEqual(events(effectsOf(steering, { ...steering, round: { ...agreed, contradiction } })), [
        ["clock.contradicted", { source: "ntp1.example", offset_seconds: 9 }],
      ]);
    });

    it("believes nothing of one that was disturbed", () => {
      assert.deepEqual(kinds(effectsOf(steering, { ...steering, round: disturbedRound })), ["read_rtc"]);
    });

    it("tells which source leads now", () => {
      assert.deepEqual(
        events(effectsOf({ ...steering, peer: "ntp1.example" }, { ...steering, peer: "ntp2.example" })),
        [["clock.source_changed", { from: "ntp1.example", to: "ntp2.example" }]],
      );
    });
  });

  describe("at a check", () => {
    const checked = (change: Partial<Check>, state: LoopState = { ...steering, sync }) =>
      effectsOf(state, { ...state, check: { ...check, ...change } });
    const syncStatus = (
      state: Check["syncStatus"]["state"],
      trust: Check["syncStatus"]["trust"] = "none",
    ) => ({
      syncStatus: { state, trust, isAuthenticated: false, uncertaintySeconds: 0.01 },
    });

    it("trusts the steered clock, raises the floor, and tells the kernel how good the clock is", () => {
      const effects = checked({});
      assert.deepEqual(kinds(effects), ["trust_steered_clock", "raise_floor", "tell_kernel", "tell_checked"]);
      assert.deepEqual(effects[2], {
        kind: "tell_kernel",
        quality: { isSynchronised: true, maxErrorSeconds: 0.012, estErrorSeconds: 0.003, leap: "none" },
      });
    });

    const trusts: [what: string, change: Partial<Check>, state: LoopState, expected: string[]][] = [
      ["a faulty clock", syncStatus("faulty"), steering, []],
      ["a clock that runs free", syncStatus("freerun"), steering, []],
      ["a clock whose sources are being asked", syncStatus("acquiring"), steering, []],
      [
        "a clock below the floor",
        { ...syncStatus("acquiring"), isBelowFloor: true },
        steering,
        ["trust_steered_clock"],
      ],
      ["a clock without a source", syncStatus("unsynchronised"), steering, ["trust_host_clock"]],
      [
        "a daemon's clock",
        syncStatus("delegated", "trusted"),
        { ...start, mode: daemon },
        ["trust_host_clock"],
      ],
      ["a clock that was changed from outside", { isDisturbed: true }, steering, []],
      [
        "a clock with an external step that was not measured yet",
        {},
        { ...steering, externalSeconds: 2 },
        [],
      ],
    ];
    for (const [what, change, state, expected] of trusts) {
      it(`${what}: ${expected[0] ?? "what was trusted before"}`, () => {
        assert.deepEqual(
          kinds(checked(change, state)).filter((kind) => kind.startsWith("trust_")),
          expected,
        );
      });
    }

    it("tells the kernel nothing of a clock that the agent does not steer, or that was changed from outside", () => {
      for (const effects of [checked({ isDisturbed: true }), checked({}, { ...start, mode: backingOff })]) {
        assert.deepEqual(kinds(effects).includes("tell_kernel"), false);
      }
    });

    it("tells the kernel that a clock which runs free is not synchronised", () => {
      const effect = checked({
        syncStatus: { state: "freerun", trust: "none", isAuthenticated: false, uncertaintySeconds: 99 },
        leap: "insert",
      }).find(({ kind }) => kind === "tell_kernel");
      assert.deepEqual(effect, {
        kind: "tell_kernel",
        quality: { isSynchronised: false, maxErrorSeconds: 16, estErrorSeconds: 0.003, leap: "none" },
      });
    });
  });
});
