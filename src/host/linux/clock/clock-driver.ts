import { readFileSync } from "node:fs";
import type { ClockDriver, ClockReading, KernelClock, Leap, SteeringBlocker } from "../../ports.ts";
import type { ClockAddon } from "./clock-addon.ts";
import { createNullClockDriver, refusedSteering, type Steering } from "./null-clock-driver.ts";

/** CAP_SYS_TIME's bit (capabilities(7)). */
const timeCapability = 1n << 25n;

/**
 * The clock of this host. Its blocker is determined once, in the order of the union. A capability that only counts in
 * a user namespace looks like a real one, and the kernel then refuses with EPERM. `maySteer` false: the clock is never
 * set, even if the process has the right to. `addon` null: it is read to a millisecond.
 */
export function openClockDriver(maySteer: boolean, addon: ClockAddon | null): ClockDriver {
  if (!addon) return createNullClockDriver(maySteer ? "no_addon" : "not_asked_to");
  const blocker = !maySteer ? "not_asked_to" : hasTimeCapability() ? null : "no_capability";
  return createKernelDriver(addon, blocker);
}

function createKernelDriver(addon: ClockAddon, blocker: SteeringBlocker | null): ClockDriver {
  const times = new Float64Array(2);
  const state = new Float64Array(6);
  return {
    blocker,
    read: (): ClockReading => {
      addon.now(times);
      const [wallSeconds = 0, monotonicSeconds = 0] = times;
      return { wallSeconds, monotonicSeconds };
    },
    kernel: () => readKernel(addon, state),
    ...(blocker ? refusedSteering(blocker) : steeringBy(addon)),
  };
}

function steeringBy(addon: ClockAddon): Steering {
  return {
    step: (seconds) => addon.step(seconds),
    slew: (seconds) => addon.slew(seconds),
    setFrequency: (ppm) => addon.setFrequency(ppm),
    setQuality: ({ isSynchronised, maxErrorSeconds, estErrorSeconds, leap }) =>
      addon.setQuality(Number(isSynchronised), maxErrorSeconds, estErrorSeconds, leapNumbers[leap]),
  };
}

const leapNumbers: Readonly<Record<Leap, number>> = { none: 0, insert: 1, delete: -1 };

function readKernel(addon: ClockAddon, state: Float64Array): KernelClock | null {
  try {
    addon.read(state);
  } catch {
    // A sandbox forbids the system call (systemd's ProtectClock=yes, a container).
    return null;
  }
  const [synchronised, maxErrorSeconds = 0, estErrorSeconds = 0, frequencyPpm = 0, left = 0, leap = 0] =
    state;
  return {
    isSynchronised: synchronised === 1,
    maxErrorSeconds,
    estErrorSeconds,
    frequencyPpm,
    slewRemainingSeconds: left,
    leap: leap > 0 ? "insert" : leap < 0 ? "delete" : "none",
  };
}

/** True if the main thread, which calls this, may set clocks now. */
function hasTimeCapability(): boolean {
  const effective = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1];
  return effective !== undefined && (BigInt(`0x${effective}`) & timeCapability) !== 0n;
}
