import type { Clock } from "../../src/clock/loop/clock.ts";
import type { ClockState } from "../../src/clock/trust/clock-state.ts";
import { type ClockPlan, type OpenClock, openHostClock } from "../../src/programs/agent/wire-clock.ts";
import { unobservedClock } from "./unobserved-clock.ts";

/** Its methods one by one: they are a class's, and a spread would lose them. */
function hostClock(plan: ClockPlan): Clock {
  const clock = openHostClock(plan);
  return {
    state: () => clock.state(),
    status: () => clock.status(),
    inShort: () => clock.inShort(),
    reselect: () => clock.reselect(),
    probe: (servers) => clock.probe(servers),
    sync: (options) => clock.sync(options),
    setTime: (time) => clock.setTime(time),
    resetFloor: () => clock.resetFloor(),
    floor: () => clock.floor(),
    trouble: () => clock.trouble(),
    onEvent: (listener) => clock.onEvent(listener),
    start: () => clock.start(),
    nudge: () => clock.nudge(),
    stop: () => clock.stop(),
  };
}

/** The host's clock, but for what the agent knows of it: that `read` says, with times as text. */
export function toldClock(read: () => object, nudge: () => void): OpenClock {
  return (plan) => ({ ...hostClock(plan), state: () => stateOf(read()), nudge, trouble: () => null });
}

function stateOf(told: { lastSyncAt?: unknown; lastStepAt?: unknown }): ClockState {
  const { lastSyncAt, lastStepAt, ...given } = told;
  const at = (time: unknown) => (typeof time === "string" ? new Date(time) : null);
  return { ...unobservedClock, ...given, lastSyncAt: at(lastSyncAt), lastStepAt: at(lastStepAt) };
}
