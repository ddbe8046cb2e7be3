import type { ClockReading, Leap, SteeringBlocker } from "../../host/ports.ts";
import type { DaemonReport } from "../daemons/external-daemon.ts";
import type { ExternalChange, StepMade } from "../discipline/steering.ts";
import { firstPoll, type PollState } from "../ntp/poll-control.ts";
import { type BackOff, backOff, isBackingOff, noBackOff } from "./external-change.ts";
import type { ClockMode } from "./mode.ts";
import type { Round } from "./round.ts";
import { pollAfterRound } from "./round-schedule.ts";
import {
  afterRound,
  type ClockAfterRound,
  notSynced,
  type SyncState,
  type SyncStatus,
} from "./sync-state.ts";

/** All that the loop knows of the clock. A value: each function below gives the state after what happened. */
export interface LoopState {
  /** The reason why the agent cannot steer the host's clock; null: it can. */
  readonly blocker: SteeringBlocker | null;
  /** The clock had been put right in this boot before the agent's start. */
  readonly wasRightAtStart: boolean;
  /** null: not resolved yet. */
  readonly mode: ClockMode | null;
  readonly sync: SyncState;
  /** The last report of the time daemon of the present mode; null: it was not read yet. */
  readonly report: DaemonReport | null;
  /** Monotonic seconds of the last report that was synchronised; null: there was none. */
  readonly reportedAt: number | null;
  readonly poll: PollState;
  readonly backOff: BackOff;
  readonly externalChanges: number;
  /** Seconds by which external steps moved the host's clock that no measurement has shown yet. */
  readonly externalSeconds: number;
  readonly round: Round | null;
  /** The end of that round, kept when the rest is forgotten. */
  readonly lastVerdict: Round["verdict"]["kind"] | null;
  /** The system peer; the last one while no source is selected. */
  readonly peer: string | null;
  readonly lastStep: StepMade | null;
  /** The battery-backed clock as it was read last; null: not known. */
  readonly realTimeClock: Date | null;
  /** The battery-backed clock at the agent's start, before anything could correct it; null: not known. */
  readonly batteryAtStart: { readonly time: Date; readonly atMonotonic: number } | null;
  readonly check: Check | null;
}

export interface Check {
  readonly syncStatus: SyncStatus;
  /** The host's clock shows a time below the floor. */
  readonly isBelowFloor: boolean;
  /** The clock was changed from outside since the check before. */
  readonly isDisturbed: boolean;
  /** The rest that a slew has yet to add (s). */
  readonly pendingSeconds: number;
  readonly leap: Leap;
}

export function initialState(start: Pick<LoopState, "blocker" | "wasRightAtStart">): LoopState {
  return {
    ...start,
    mode: null,
    sync: notSynced,
    report: null,
    reportedAt: null,
    poll: firstPoll,
    backOff: noBackOff,
    externalChanges: 0,
    externalSeconds: 0,
    round: null,
    lastVerdict: null,
    peer: null,
    lastStep: null,
    realTimeClock: null,
    batteryAtStart: null,
    check: null,
  };
}

/** True where the agent steers the host's clock in this mode, and not a virtual one. */
export function steersHost({ mode, blocker }: Pick<LoopState, "mode" | "blocker">): boolean {
  return mode?.kind === "discipline" || (mode?.kind === "manual" && blocker === null);
}

/** Seconds by which two clocks may differ and still be known alike. */
const sameSeconds = 0.001;

/** `hostOffsetSeconds`: what the host's clock lacked of the one that was steered until now. */
export function enterMode(
  state: LoopState,
  mode: ClockMode,
  { hostOffsetSeconds, monotonicSeconds }: { hostOffsetSeconds: number; monotonicSeconds: number },
): LoopState {
  const entered = { ...state, mode, report: null, poll: firstPoll, externalSeconds: 0 };
  const isHeld = isBackingOff(state.backOff, monotonicSeconds);
  // The former measurements are of the virtual clock.
  const isOtherClock = steersHost(entered) && Math.abs(hostOffsetSeconds) > sameSeconds;
  return {
    ...entered,
    backOff: isHeld ? state.backOff : { ...state.backOff, conflict: null },
    sync: isOtherClock ? notSynced : state.sync,
  };
}

/** The clock that the agent steers was changed from outside: the agent backs off. */
export function afterExternalChange(
  state: LoopState,
  change: ExternalChange,
  monotonicSeconds: number,
): LoopState {
  const stepSeconds = change.kind === "step" ? change.seconds : 0;
  return {
    ...state,
    backOff: backOff(state.backOff, change, monotonicSeconds),
    externalChanges: state.externalChanges + 1,
    externalSeconds: state.externalSeconds + stepSeconds,
  };
}

export interface AfterRound extends ClockAfterRound {
  readonly peer: string | null;
  /** More rounds of the start's burst are to come. */
  readonly isInBurst: boolean;
}

export function afterOwnRound(state: LoopState, round: Round, now: AfterRound): LoopState {
  const poll = pollAfterRound(state.poll, round, now.believed?.frequencyDeviationPpm ?? null);
  const next = {
    ...state,
    round,
    sync: afterRound(state.sync, round, now),
    // A part of the burst without an answer is no silence yet.
    poll: now.isInBurst && !round.isAnswered ? firstPoll : poll,
  };
  if (round.verdict.kind === "disturbed") return next;
  return {
    ...next,
    lastVerdict: round.verdict.kind,
    peer: now.peer ?? state.peer,
    // This measurement contains the changes from outside.
    externalSeconds: state.mode?.kind === "discipline" ? 0 : state.externalSeconds,
  };
}

export function afterReport(
  state: LoopState,
  report: DaemonReport,
  { monotonicSeconds }: Pick<ClockReading, "monotonicSeconds">,
): LoopState {
  return {
    ...state,
    report,
    reportedAt: report.isSynchronised ? monotonicSeconds : state.reportedAt,
    sync: notSynced,
    peer: report.offsetSeconds === null ? state.peer : (report.source?.id ?? state.peer),
  };
}

/** All that was measured means nothing any more; `setByHandAt`: monotonic seconds at which an administrator set the clock. */
export function forgotten(state: LoopState, setByHandAt: number | null): LoopState {
  return { ...state, sync: { ...notSynced, setByHandAt }, poll: firstPoll, externalSeconds: 0 };
}
