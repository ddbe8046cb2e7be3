import type { ClockEventType } from "../../contract/event-types.ts";
import type { ClockConflict } from "../../contract/types.ts";
import type { ClockQuality } from "../../host/ports.ts";
import type { CounterName } from "../counters.ts";
import { type Check, type LoopState, steersHost } from "../state/loop-state.ts";
import type { HistoryPoint } from "../status/history.ts";
import type { EventDetails } from "./clock-parts.ts";

/** One action of the loop after a change of its state. */
export type Effect =
  /** Steers this clock from now on; `carriesOffset`: what the host's clock was known to lack it still lacks. */
  | {
      readonly kind: "take_clock";
      readonly clock: "host" | "virtual";
      readonly isFresh: boolean;
      readonly carriesOffset: boolean;
      /** The seconds that external steps moved the host's clock by; no part of that offset. */
      readonly externalSeconds: number;
    }
  | { readonly kind: "step_to_floor" }
  /** The answers of the servers mean nothing any more. */
  | { readonly kind: "forget_samples" }
  /** The floor waits again before it follows the clock. */
  | { readonly kind: "hold_down_floor" }
  | { readonly kind: "raise_floor"; readonly trust: Check["syncStatus"]["trust"] }
  /** Sign-in goes by the steered clock from now on, or by the host's own. */
  | { readonly kind: "trust_steered_clock" | "trust_host_clock" }
  | { readonly kind: "tell_kernel"; readonly quality: ClockQuality }
  | { readonly kind: "add_history"; readonly point: Omit<HistoryPoint, "atMonotonic"> }
  /** The oscillator's error and the boot are kept for the next start. */
  | { readonly kind: "keep_record" }
  | { readonly kind: "read_rtc" }
  | { readonly kind: "measure_soon" }
  | { readonly kind: "count"; readonly counter: CounterName }
  | { readonly kind: "tell"; readonly type: ClockEventType; readonly details: EventDetails }
  | { readonly kind: "tell_checked" };

/** The effects of a change of the state, in the order in which they are done. */
export function effectsOf(before: LoopState, after: LoopState): readonly Effect[] {
  return [
    ...(after.mode !== before.mode ? modeEffects(before, after) : []),
    ...(after.lastStep !== before.lastStep ? stepEffects(after) : []),
    ...(after.externalChanges !== before.externalChanges ? externalChangeEffects(after) : []),
    ...(after.report !== before.report ? reportEffects(after) : []),
    ...(after.round !== before.round ? roundEffects(before, after) : []),
    ...(after.peer !== before.peer
      ? [eventOf("clock.source_changed", { from: before.peer, to: after.peer })]
      : []),
    ...(after.check !== before.check && after.check ? checkEffects(after, after.check) : []),
  ];
}

function modeEffects(before: LoopState, after: LoopState): readonly Effect[] {
  const isDaemons = after.mode?.kind === "delegate";
  return [
    {
      kind: "take_clock",
      clock: steersHost(after) ? "host" : "virtual",
      isFresh: isFresh(before, after),
      carriesOffset: !isDaemons,
      externalSeconds: before.externalSeconds,
    },
    { kind: "forget_samples" },
    ...(isDaemons ? [] : [{ kind: "step_to_floor" } as const]),
  ];
}

/** True while nothing relies on the clock, for no user of it may see it leap unrequested. */
function isFresh(before: LoopState, { mode }: LoopState): boolean {
  if (mode?.kind === "observe") return mode.because !== "external_change";
  if (before.mode === null) return !before.wasRightAtStart;
  if (before.mode.kind === "delegate") return before.report?.isSynchronised !== true;
  return before.mode.kind !== "observe" || before.mode.because !== "external_change";
}

function stepEffects({ lastStep }: LoopState): readonly Effect[] {
  if (!lastStep) return [];
  const { isOfHost, seconds } = lastStep;
  return [{ kind: "hold_down_floor" }, ...(isOfHost ? [eventOf("clock.stepped", { seconds })] : [])];
}

function externalChangeEffects({ backOff }: LoopState): readonly Effect[] {
  return [
    { kind: "count", counter: "conflicts" },
    { kind: "forget_samples" },
    { kind: "hold_down_floor" },
    ...(backOff.conflict ? [contestedEvent(backOff.conflict)] : []),
    { kind: "measure_soon" },
  ];
}

function contestedEvent({ code, step_seconds, frequency_ppm, detail: conflict }: ClockConflict): Effect {
  return eventOf("clock.contested", { code, step_seconds, frequency_ppm, conflict });
}

function reportEffects({ report }: LoopState): readonly Effect[] {
  if (!report) return [];
  const { offsetSeconds, uncertaintySeconds } = report;
  if (offsetSeconds === null) return [{ kind: "read_rtc" }];
  return [
    { kind: "read_rtc" },
    historyEffect({ offsetSeconds, uncertaintySeconds: uncertaintySeconds ?? 0 }),
  ];
}

function roundEffects(before: LoopState, { round }: LoopState): readonly Effect[] {
  if (!round) return [];
  const { verdict, measurement, hostOffsetSeconds: offsetSeconds, contradiction } = round;
  const effects: Effect[] = [{ kind: "read_rtc" }];
  if (contradiction) {
    const { source, offsetSeconds: offset_seconds } = contradiction;
    effects.push(eventOf("clock.contradicted", { source, offset_seconds }));
  }
  if (verdict.kind === "disturbed") return effects;
  if (measurement && offsetSeconds !== null) {
    effects.push(historyEffect({ offsetSeconds, uncertaintySeconds: measurement.uncertaintySeconds }));
  }
  if (verdict.kind === "panic_threshold" && before.lastVerdict !== "panic_threshold") {
    const told = eventOf("clock.panicked", { offset_seconds: verdict.seconds });
    effects.push({ kind: "count", counter: "panics" }, told);
  }
  if (verdict.kind === "agreed") effects.push({ kind: "keep_record" });
  return effects;
}

function historyEffect(point: Omit<HistoryPoint, "atMonotonic">): Effect {
  return { kind: "add_history", point };
}

function eventOf(type: ClockEventType, details: EventDetails): Effect {
  return { kind: "tell", type, details };
}

function checkEffects(state: LoopState, check: Check): readonly Effect[] {
  const isFree = !check.isDisturbed;
  return [
    ...(isFree && state.externalSeconds === 0 ? trustEffects(state, check) : []),
    { kind: "raise_floor", trust: check.syncStatus.trust },
    ...(isFree && state.mode?.kind === "discipline" ? kernelEffects(state, check) : []),
    { kind: "tell_checked" },
  ];
}

/** The time that sign-in goes by from now on; none: as before. */
function trustEffects({ mode }: LoopState, { syncStatus, isBelowFloor }: Check): readonly Effect[] {
  const { state, trust } = syncStatus;
  // The sources contradict the clock, or were last heard long ago: the time that was trusted last still counts.
  if (state === "faulty" || state === "freerun") return [];
  // The same until they have been heard.
  if (state === "acquiring" && !isBelowFloor) return [];
  const isOurs = mode?.kind !== "delegate";
  if (isOurs && (trust !== "none" || isBelowFloor)) return [{ kind: "trust_steered_clock" }];
  // The host's clock was taken over a moment ago, and no source has said anything of it yet.
  return !isOurs || state !== "acquiring" ? [{ kind: "trust_host_clock" }] : [];
}

/** Seconds of error from which on the kernel takes a clock for unsynchronised (NTP_PHASE_LIMIT). */
const unknownErrorSeconds = 16;

function kernelEffects({ sync }: LoopState, { syncStatus, pendingSeconds, leap }: Check): readonly Effect[] {
  const { state, uncertaintySeconds } = syncStatus;
  if (!["synchronised", "holdover", "freerun", "faulty"].includes(state)) return [];
  const isRight = state === "synchronised" || state === "holdover";
  const bounded = (seconds: number) => Math.min(unknownErrorSeconds, seconds);
  const quality: ClockQuality = {
    isSynchronised: isRight,
    // The rest of a slew is an error as well.
    maxErrorSeconds: bounded((uncertaintySeconds ?? unknownErrorSeconds) + pendingSeconds),
    estErrorSeconds: bounded(sync.synced?.jitterSeconds ?? unknownErrorSeconds),
    leap: isRight ? leap : "none",
  };
  return [{ kind: "tell_kernel", quality }];
}
