import type { ClockTrust } from "./clock-state.ts";

/**
 * The floor: a time that is certainly past. A clock below it is wrong without anybody being asked. It must rise slowly,
 * for a false time that it once followed would keep the true one out.
 */
export interface Floor {
  /** Seconds since 1970. */
  readonly atSeconds: number;
  /** What this boot may still be ahead of the last one because the host was switched off in between (s). */
  readonly gapSeconds: number;
  /** Monotonic seconds of the last look. */
  readonly checkedAt: number;
  /** Monotonic seconds since when somebody vouches for the clock, and since when a majority does, without a step. */
  readonly acceptedSince: number | null;
  readonly trustedSince: number | null;
}

const daySeconds = 86_400;

/** Seconds of trusted time that must have held before the floor follows it. */
const holdDownSeconds = daySeconds;

/** Seconds of vouched time before the floor makes up for a time without power: until then a mistyped time can be set right. */
const leapAfterSeconds = 3_600;

/** Seconds that the floor stays behind: right at its heels it would forbid a clock that ran ahead to be set back. */
const lagSeconds = daySeconds;

/** Seconds that a host may have been switched off without the floor lagging behind. */
export const powerOffGapSeconds = 400 * daySeconds;

/** Seconds after the build: no later time is believed, whoever says it. */
const lifetimeSeconds = 15 * 365.25 * daySeconds;

/** Where belief ends: build date + 15 years. */
export function ceilingSeconds(buildSeconds: number): number {
  return buildSeconds + lifetimeSeconds;
}

export function beginFloor(atSeconds: number, gapSeconds: number, monotonicSeconds: number): Floor {
  return { atSeconds, gapSeconds, checkedAt: monotonicSeconds, acceptedSince: null, trustedSince: null };
}

export interface FloorCheck {
  readonly trust: ClockTrust;
  /** Time by the clock that somebody vouches for. */
  readonly nowSeconds: number;
  readonly monotonicSeconds: number;
  readonly ceilingSeconds: number;
}

/** The floor after one more look at the clock; never lower than before. */
export function riseFloor(floor: Floor, look: FloorCheck): Floor {
  const { trust, nowSeconds, monotonicSeconds } = look;
  const elapsed = Math.max(0, monotonicSeconds - floor.checkedAt);
  const trustedSince = trust === "trusted" ? (floor.trustedSince ?? monotonicSeconds) : null;
  const acceptedSince = trust === "none" ? null : (floor.acceptedSince ?? monotonicSeconds);
  const present = { ...floor, checkedAt: monotonicSeconds, acceptedSince, trustedSince };
  const target = Math.min(nowSeconds - lagSeconds, look.ceilingSeconds);
  if (trust === "none" || target <= floor.atSeconds) return present;
  const heldFor = (since: number | null): number => (since === null ? 0 : monotonicSeconds - since);
  if (heldFor(trustedSince) >= holdDownSeconds) return { ...present, atSeconds: target };
  const leapSeconds = heldFor(acceptedSince) >= leapAfterSeconds ? floor.gapSeconds : 0;
  const rise = Math.min(target - floor.atSeconds, elapsed + leapSeconds);
  const gapSeconds = floor.gapSeconds - Math.max(0, rise - elapsed);
  return { ...present, atSeconds: floor.atSeconds + rise, gapSeconds };
}

/** After a step of the clock vouched time begins anew: it did not hold. */
export function heldNoLonger(floor: Floor): Floor {
  return { ...floor, acceptedSince: null, trustedSince: null };
}
