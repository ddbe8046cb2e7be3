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
import { notSynced } from "../../../src/clock/state/sync-state.ts";

const start = initialState({ blocker: null, wasRightAtStart: false });
const discipline: ClockMode = { kind: "discipline" };
const daemon: ClockMode = { kind: "delegate", daemon: "chronyd" };
const backingOff: ClockMode = { kind: "observe", because: "external_change", daemon: null };
const steering: LoopState = { ...start, mode: discipline };

/** A kind, or the whole effect where its facts matter. */
type Expected = Effect["kind"] | Effect;

/** Throws unless all of these follow, in this order. */
function assertFollows(before: LoopState, after: LoopState, expected: readonly Expected[]): void {
  const found = effectsOf(before, after);
  const seen = found.map((effect, place) => (typeof expected[place] === "string" ? effect.kind : effect));
  assert.deepEqual(seen, expected);
}

const tell = (type: Extract<Effect, { kind: "tell" }>["type"], details: object): Effect =>
  ({ kind: "tell", type, details }) as Effect;

describe("what follows from a mode that begins", () => {
  const under = (isSynchronised: boolean): LoopState => ({
    ...{ ...start, mode: daemon, report: reportOfKernel(isSynchronised, null) },
  });
  for (const [what, before, mode, clock, isFresh] of [
    ["the first one of a boot", start, discipline, "host", true],
    ["one where the clock was right before", { ...start, wasRightAtStart: true }, discipline, "host", false],
    ["a daemon's, which is left where it stands", start, daemon, "virtual", true],
    ["one after a daemon that was right", under(true), discipline, "host", false],
    ["one after a daemon that was wrong", under(false), discipline, "host", true],
    ["one after a back-off", { ...start, mode: backingOff }, discipline, "host", false],
    ["a back-off", steering, backingOff, "virtual", false],
    ["after an external step", { ...steering, externalSeconds: 5 }, backingOff, "virtual", false],
  ] as const)
    it(`${what}: ${isFresh ? "nothing relies on the clock yet" : "no unrequested leap"}`, () => {
      const isDaemons = mode === daemon;
      const { externalSeconds } = before;
      assertFollows(before, enterMode(before, mode, { hostOffsetSeconds: 0, monotonicSeconds: 100 }), [
        { kind: "take_clock", clock, isFresh, carriesOffset: !isDaemons, externalSeconds },
        "forget_samples",
        ...(isDaemons ? [] : (["step_to_floor"] as const)),
      ]);
    });
});

describe("what follows from", () => {
  const lastStep = { at: new Date(0), seconds: 3, isOfHost: true };
  const contested = afterExternalChange(steering, { kind: "step", seconds: -2 }, 100);
  const contest: readonly Expected[] = [
    "count",
    "forget_samples",
    "hold_down_floor",
    tell("clock.contested", {
      ...{ code: "clock_stepped", step_seconds: -2, frequency_ppm: null },
      conflict: "Another program or person set the clock back by 2.00 s.",
    }),
    "measure_soon",
  ];
  const agreed: Round = {
    verdict: { kind: "agreed" },
    isAnswered: true,
    measurement: {
      ...{ atSeconds: 90, offsetSeconds: 0.001, uncertaintySeconds: 0.01 },
      ...{ jitterSeconds: 1e-4, noiseSeconds: 1e-4, usualNoiseSeconds: 1e-4 },
      ...{ agreeing: 3, disagreeing: 0, configured: 3, isAuthenticated: false },
    },
    action: null,
    hostOffsetSeconds: 0.001,
    contradiction: null,
  };
  const panic: Round = { ...agreed, verdict: { kind: "panic_threshold", seconds: 2_000 } };
  const panicking: LoopState = { ...steering, round: panic, lastVerdict: "panic_threshold" };
  const history: Effect = {
    ...{ kind: "add_history", point: { offsetSeconds: 0.001, uncertaintySeconds: 0.01 } },
  };
  const contradicted: Round = { ...agreed, contradiction: { source: "ntp1.example", offsetSeconds: 9 } };
  const panicked = tell("clock.panicked", { offset_seconds: 2_000 });
  const contradiction = tell("clock.contradicted", { source: "ntp1.example", offset_seconds: 9 });
  const led = (peer: string): LoopState => ({ ...steering, peer });
  const rows: readonly (readonly [string, LoopState, Partial<LoopState>, ...Expected[]])[] = [
    ["nothing", steering, {}],
    ["a step", steering, { lastStep }, "hold_down_floor", tell("clock.stepped", { seconds: 3 })],
    ["a virtual one", steering, { lastStep: { ...lastStep, isOfHost: false } }, "hold_down_floor"],
    ["an external change", steering, contested, ...contest],
    ["another", contested, afterExternalChange(contested, { kind: "step", seconds: -2 }, 100), ...contest],
    ["sources that agree", steering, { round: agreed }, "read_rtc", history, "keep_record"],
    ["a panic", steering, panicking, "read_rtc", history, { kind: "count", counter: "panics" }, panicked],
    ["a panic that goes on", panicking, { round: { ...panic } }, "read_rtc", "add_history"],
    [
      "a second opinion that gives another time",
      ...([steering, { round: contradicted }] as const),
      ...(["read_rtc", contradiction, "add_history", "keep_record"] as const),
    ],
    ["a round that was disturbed", steering, { round: disturbedRound }, "read_rtc"],
    [
      "another source that leads",
      ...([led("ntp1.example"), { peer: "ntp2.example" }] as const),
      tell("clock.source_changed", { from: "ntp1.example", to: "ntp2.example" }),
    ],
  ];
  for (const [what, before, change, ...expected] of rows)
    it(what, () => {
      assertFollows(before, { ...before, ...change }, expected);
    });
});

describe("what follows from a check of", () => {
  const synced: LoopState = {
    ...steering,
    sync: {
      ...notSynced,
      synced: {
        ...{ trust: "trusted", isAuthenticated: false, agreeing: 3, configured: 3 },
        ...{
          atMonotonic: 90,
          at: new Date(0),
          uncertaintySeconds: 0.01,
          jitterSeconds: 0.003,
          growth: 15e-6,
        },
      },
    },
  };
  const status = (
    state: Check["syncStatus"]["state"],
    trust: Check["syncStatus"]["trust"] = "none",
    uncertaintySeconds = 0.01,
  ): Pick<Check, "syncStatus"> => ({
    syncStatus: { state, trust, isAuthenticated: false, uncertaintySeconds },
  });
  const kernel = (isSynchronised: boolean, maxErrorSeconds: number): Effect => ({
    kind: "tell_kernel",
    quality: { isSynchronised, maxErrorSeconds, estErrorSeconds: 0.003, leap: "none" },
  });
  const rest = ["raise_floor", "tell_checked"] as const;
  const toldKernel = ["raise_floor", "tell_kernel", "tell_checked"] as const;
  const free = { ...status("freerun", "none", 99), leap: "insert" } as const;
  const rows: readonly (readonly [string, Partial<Check>, LoopState, readonly Expected[]])[] = [
    ["a right one", {}, synced, ["trust_steered_clock", "raise_floor", kernel(true, 0.012), "tell_checked"]],
    ["a faulty clock", status("faulty"), steering, toldKernel],
    ["a clock that runs free", free, synced, ["raise_floor", kernel(false, 16), "tell_checked"]],
    ["a clock whose sources are being asked", status("acquiring"), steering, rest],
    ["one below", { ...status("acquiring"), isBelowFloor: true }, steering, ["trust_steered_clock", ...rest]],
    ["a clock without a source", status("unsynchronised"), steering, ["trust_host_clock", ...rest]],
    ["a daemon", status("delegated", "trusted"), { ...start, mode: daemon }, ["trust_host_clock", ...rest]],
    ["a clock that was changed from outside", { isDisturbed: true }, steering, rest],
    ["a clock with an unmeasured step", {}, { ...steering, externalSeconds: 2 }, toldKernel],
    ["a clock that is not steered", {}, { ...start, mode: backingOff }, ["trust_steered_clock", ...rest]],
  ];
  for (const [what, change, state, expected] of rows)
    it(what, () => {
      const check: Check = {
        ...status("synchronised", "trusted"),
        ...{ isBelowFloor: false, isDisturbed: false, pendingSeconds: 0.002, leap: "none", ...change },
      };
      assertFollows(state, { ...state, check }, expected);
    });
});
