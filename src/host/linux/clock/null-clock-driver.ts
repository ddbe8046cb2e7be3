import { uptime as uptimeOfHost } from "node:os";
import { uptime as processUptime } from "node:process";
import { StewardError } from "../../../contract/errors.ts";
import type { ClockDriver, ClockReading, SteeringBlocker, Uptime } from "../../ports.ts";

/** Seconds for which a calibration is used. Only steps and suspensions too small to notice make it worse. */
const freshSeconds = 30;

/** Milliseconds: Date.now() rounds down, so a correct reading is 0 to 1 ahead of it. */
const tolerated = { behind: 0.5, ahead: 1.5 };

/** Seconds to wait for the next whole millisecond: longer only if the wall clock does not advance. */
const longestWaitSeconds = 0.002;

/** Seconds between two readings of the wall clock; more means that the process was suspended in between. */
const closeLookSeconds = 20e-6;

/** Seconds: /proc/uptime counts hundredths, so less than this is no suspension. */
const leastSuspensionSeconds = 0.05;

const reasons: Readonly<Record<SteeringBlocker, string>> = {
  not_asked_to: "Steward was not asked to set this host's clock.",
  no_addon:
    "The part of Steward that sets clocks (clock-steering.node) is missing or does not fit this machine.",
  no_capability: "Steward does not have the right to set this host's clock (CAP_SYS_TIME).",
};

export type Steering = Pick<ClockDriver, "step" | "slew" | "setFrequency" | "setQuality">;

/** Each attempt to steer throws `forbidden`, with the blocker in words. */
export function refusedSteering(blocker: SteeringBlocker): Steering {
  const refuse = (): never => {
    throw new StewardError("forbidden", reasons[blocker]);
  };
  return { step: refuse, slew: refuse, setFrequency: refuse, setQuality: refuse };
}

/**
 * A clock that is measured and never steered, without native code. A reading costs less than 1 µs. The first reading, one
 * in 30 s, and the first after a step or a suspension wait for up to 1 ms (in the worst case 4) until the wall clock's
 * millisecond changes, because that moment is known to some µs. A step of under 1.5 ms is noticed at the next of these.
 * Its monotonic seconds agree with /proc/uptime to 10 ms; differences between two of them are exact.
 */
export function createNullClockDriver(blocker: SteeringBlocker, uptime: Uptime = uptimeOfHost): ClockDriver {
  return { blocker, read: createCarriedClock(uptime), kernel: () => null, ...refusedSteering(blocker) };
}

/**
 * Both clocks, carried on from one calibration by the process's own monotonic time, which runs at the trimmed and slewed
 * rate of the wall clock. It stops during a suspension, so that the wall clock moves ahead of it as in a step: then, and
 * at each calibration, the time since boot is compared as well.
 */
function createCarriedClock(uptime: Uptime): () => ClockReading {
  let calibratedAt = Number.NEGATIVE_INFINITY;
  let wallAhead = 0;
  let bootAhead = uptime() - processUptime();
  const calibrate = (): void => {
    const edge = millisecondEdge();
    wallAhead = edge.wallSeconds - edge.processSeconds;
    calibratedAt = edge.processSeconds;
    const ahead = uptime() - processUptime();
    if (ahead - bootAhead > leastSuspensionSeconds) bootAhead = ahead;
  };
  const isRight = (): boolean => {
    const now = processUptime();
    const ahead = (now + wallAhead) * 1_000 - Date.now();
    return now - calibratedAt < freshSeconds && ahead > -tolerated.behind && ahead < tolerated.ahead;
  };
  return () => {
    if (!isRight()) calibrate();
    const now = processUptime();
    return { wallSeconds: now + wallAhead, monotonicSeconds: now + bootAhead };
  };
}

interface Edge {
  wallSeconds: number;
  processSeconds: number;
  /** Uncertainty in seconds; infinite: not a real change of the millisecond. */
  width: number;
}

/** The moment at which Date.now() increases by one; measured again if the process was suspended or the clock stepped. */
function millisecondEdge(): Edge {
  const first = nextMillisecond();
  if (first.width < closeLookSeconds) return first;
  const second = nextMillisecond();
  return second.width < first.width ? second : first;
}

function nextMillisecond(): Edge {
  const begin = processUptime();
  const first = Date.now();
  for (let before = begin; ; ) {
    const between = processUptime();
    const milliseconds = Date.now();
    if (milliseconds !== first || between - begin > longestWaitSeconds) {
      const width = milliseconds === first + 1 ? processUptime() - before : Number.POSITIVE_INFINITY;
      return { wallSeconds: milliseconds / 1_000, processSeconds: between, width };
    }
    before = between;
  }
}
