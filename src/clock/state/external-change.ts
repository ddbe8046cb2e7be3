import type { ClockConflict } from "../../contract/types.ts";
import { clockWords } from "../../contract/words/en/clock.ts";
import { terminalFormat } from "../../contract/words/format.ts";
import type { ExternalChange } from "../discipline/steering.ts";
import type { ClockMode } from "./mode.ts";

/** After an external change the agent only measures for a while, longer each time, so that two programs never fight; pure. */
export interface BackOff {
  /** The last external change; null: there was none, or it is over. */
  readonly conflict: ClockConflict | null;
  /** Monotonic seconds until which the clock is only measured. */
  readonly until: number;
  /** Seconds of the last such wait. */
  readonly waitSeconds: number;
}

export const noBackOff: BackOff = { conflict: null, until: Number.NEGATIVE_INFINITY, waitSeconds: 0 };

/** Seconds of the first wait, and the most that doubling makes of it: a program that sets clocks does so hourly at least. */
const firstWaitSeconds = 120;
const lastWaitSeconds = 3_600;

/** Seconds without an external change after which the next one counts as the first. */
const forgottenSeconds = 86_400;

export function backOff(former: BackOff, change: ExternalChange, monotonicSeconds: number): BackOff {
  const isNew = monotonicSeconds - former.until > forgottenSeconds;
  const waitSeconds = isNew ? firstWaitSeconds : Math.min(lastWaitSeconds, former.waitSeconds * 2);
  return { conflict: changeConflict(change), until: monotonicSeconds + waitSeconds, waitSeconds };
}

export function isBackingOff(present: BackOff, monotonicSeconds: number): boolean {
  return monotonicSeconds < present.until;
}

/** A correction was requested: the agent steers the clock again at once. */
export function endBackOff(present: BackOff, monotonicSeconds: number): BackOff {
  return { ...present, conflict: null, until: Math.min(present.until, monotonicSeconds) };
}

/** The other program that sets or changed the clock; null: there is none. */
export function conflictOf(mode: ClockMode | null, { conflict }: BackOff): ClockConflict | null {
  if (mode?.kind !== "observe" || mode.because !== "other_daemon") return conflict;
  const { daemon } = mode;
  return withDetail({ code: "other_daemon", daemon, step_seconds: null, frequency_ppm: null });
}

function changeConflict(change: ExternalChange): ClockConflict {
  const none = { daemon: null, step_seconds: null, frequency_ppm: null };
  return change.kind === "frequency"
    ? withDetail({ ...none, code: "frequency_set", frequency_ppm: change.ppm })
    : withDetail({ ...none, code: "clock_stepped", step_seconds: change.seconds });
}

function withDetail(conflict: Omit<ClockConflict, "detail">): ClockConflict {
  return { ...conflict, detail: clockWords.conflicts[conflict.code](conflict, terminalFormat) };
}
