import type { ClockState } from "../../src/clock/trust/clock-state.ts";
import { type OpenClock, openHostClock } from "../../src/programs/agent/wire-clock.ts";
import { unobservedClock } from "./unobserved-clock.ts";

/** The host's clock, but for what the agent knows of it: that `read` says, with times as text. */
export function toldClock(read: () => object, nudge: () => void): OpenClock {
  return (plan) => {
    const told = { state: () => stateOf(read()), nudge, trouble: () => null };
    // Its methods are a class's, and a spread would lose them.
    return Object.assign(openHostClock(plan), told);
  };
}

function stateOf(told: { lastSyncAt?: unknown; lastStepAt?: unknown }): ClockState {
  const { lastSyncAt, lastStepAt, ...given } = told;
  const at = (time: unknown) => (typeof time === "string" ? new Date(time) : null);
  return { ...unobservedClock, ...given, lastSyncAt: at(lastSyncAt), lastStepAt: at(lastStepAt) };
}
