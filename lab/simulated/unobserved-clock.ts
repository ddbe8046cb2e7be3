import type { ClockState } from "../../src/clock/trust/clock-state.ts";

/** A clock that is not observed. */
export const unobservedClock: ClockState = {
  trust: "none",
  state: "unobserved",
  synchronised: null,
  offsetSeconds: 0,
  lastSyncAt: null,
  lastStepSeconds: null,
  lastStepAt: null,
};
