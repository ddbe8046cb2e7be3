import type { clockWords } from "../clock-states.ts";
import type { TimeSync } from "../types.ts";

/** Seconds of a measured error, in a mode that does not correct it, from which on a clock is not called right (RFC 5905 §11.3, STEPT). */
const stepThresholdSeconds = 0.128;

export type ClockWord = (typeof clockWords)[number];

/** The clock in one word. A measured error counts where Steward only observes, because it is not corrected there. */
export function clockWordOf({
  mode,
  state,
  trust,
  offset_seconds,
  last_sync_at,
}: Pick<TimeSync, "mode" | "state" | "trust" | "offset_seconds" | "last_sync_at">): ClockWord {
  switch (state) {
    case "manual":
      return trust === "none" ? "unknown" : "set_by_hand";
    case "delegated":
      return trust === "none" ? "not_in_sync" : "in_sync";
    case "synchronised":
    case "holdover": {
      const isOff = mode === "observe" && Math.abs(offset_seconds ?? 0) > stepThresholdSeconds;
      return isOff ? "not_in_sync" : "in_sync";
    }
    case "acquiring":
    case "unsynchronised":
      return last_sync_at === null && offset_seconds === null ? "unknown" : "not_in_sync";
    case "freerun":
    case "faulty":
      return "not_in_sync";
  }
}

/** True where servers or a daemon keep the clock right, as in the `clock` member of a 401. */
export function isSynchronised({ state, trust }: Pick<TimeSync, "state" | "trust">): boolean {
  return state === "synchronised" || state === "holdover" || (state === "delegated" && trust !== "none");
}
