import type { ClockDriver, ClockReading } from "../../host/ports.ts";
import { slewRate } from "./estimate.ts";

/**
 * A clock in memory, for a host whose own is not the agent's to set: the loop disciplines it as it would the host's, and
 * the difference between the two is what the host's clock lacks. It runs on monotonic time, so that a step of the host's
 * clock does not move it.
 */
export function createVirtualClock(host: ClockDriver): ClockDriver {
  let base = { ...host.read() };
  let frequency = 0;
  let slewSeconds = 0;
  const slewedIn = (elapsed: number): number =>
    Math.sign(slewSeconds) * Math.min(Math.abs(slewSeconds), slewRate * elapsed);
  const read = (): ClockReading => {
    const { monotonicSeconds } = host.read();
    const elapsed = monotonicSeconds - base.monotonicSeconds;
    const wallSeconds = base.wallSeconds + elapsed * (1 + frequency) + slewedIn(elapsed);
    return { monotonicSeconds, wallSeconds };
  };
  /** Begins again from the present reading, so that a change holds from now on. */
  const rebase = (): void => {
    const present = read();
    slewSeconds -= slewedIn(present.monotonicSeconds - base.monotonicSeconds);
    base = present;
  };
  return {
    blocker: null,
    read,
    kernel: () => host.kernel(),
    step: (seconds) => {
      rebase();
      slewSeconds = 0;
      base = { ...base, wallSeconds: base.wallSeconds + seconds };
    },
    slew: (seconds) => {
      rebase();
      slewSeconds = seconds;
    },
    setFrequency: (ppm) => {
      rebase();
      frequency = ppm / 1e6;
      return ppm;
    },
    setQuality: () => undefined,
  };
}
