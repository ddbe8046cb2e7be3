import type { ClockTrust } from "./clock-state.ts";

/** A time that has certainly passed (docs/design/trusted-time.md, rule 12). Slow to rise: no false one rejects the true. */
export interface Floor {
  /** Seconds since 1970. */
  readonly atSeconds: number;
  /** Seconds that the floor may still jump in this boot, because the host may have been switched off before it. */
  readonly gapSeconds: number;
  /** Monotonic seconds of the last check. */
  readonly checkedAt: number;
  /** Monotonic seconds since when the clock is accepted or trusted, and since when it is trusted, without a step; null: it is not. */
  readonly acceptedSince: number | null;
  readonly trustedSince: number | null;
}

const daySeconds = 86_400;

/** Seconds of trusted time that must have held before the floor follows it. */
const holdDownSeconds = daySeconds;

/** Seconds of accepted time before the floor makes up for a time without power: until then a mistyped time can be corrected. */
const leapAfterSeconds = 3_600;

/** Seconds that the floor stays behind the time, so that a clock that ran ahead can be set back. */
const lagSeconds = daySeconds;

/** Seconds that a host may have been switched off without the floor lagging behind. */
export const powerOffGapSeconds = 400 * daySeconds;

/** Seconds after the build: no later time is believed, from any source. */
const lifetimeSeconds = 15 * 365.25 * daySeconds;

/** The latest time that is believed: build date + 15 years. */
export function ceilingSeconds(buildSeconds: number): number {
  return buildSeconds + lifetimeSeconds;
}

export function beginFloor(atSeconds: number, gapSeconds: number, monotonicSeconds: number): Floor {
  return { atSeconds, gapSeconds, checkedAt: monotonicSeconds, acceptedSince: null, trustedSince: null };
}

export interface FloorCheck {
  readonly trust: ClockTrust;
  /** Seconds since 1970, by the trusted time. */
  readonly nowSeconds: number;
  readonly monotonicSeconds: number;
  readonly ceilingSeconds: number;
}

/** The floor after one more check of the clock; never lower than before. */
export function riseFloor(floor: Floor, check: FloorCheck): Floor {
  const { trust, nowSeconds, monotonicSeconds } = check;
  const elapsed = Math.max(0, monotonicSeconds - floor.checkedAt);
  const trustedSince = trust === "trusted" ? (floor.trustedSince ?? monotonicSeconds) : null;
  const acceptedSince = trust === "none" ? null : (floor.acceptedSince ?? monotonicSeconds);
  const present = { ...floor, checkedAt: monotonicSeconds, acceptedSince, trustedSince };
  const target = Math.min(nowSeconds - lagSeconds, check.ceilingSeconds);
  if (trust === "none" || target <= floor.atSeconds) return present;
  const heldFor = (since: number | null): number => (since === null ? 0 : monotonicSeconds - since);
  if (heldFor(trustedSince) >= holdDownSeconds) return { ...present, atSeconds: target };
  const leapSeconds = heldFor(acceptedSince) >= leapAfterSeconds ? floor.gapSeconds : 0;
  const rise = Math.min(target - floor.atSeconds, elapsed + leapSeconds);
  const gapSeconds = floor.gapSeconds - Math.max(0, rise - elapsed);
  return { ...present, atSeconds: floor.atSeconds + rise, gapSeconds };
}

/** After a step of the clock the waits begin again: the time before it did not hold. */
export function heldNoLonger(floor: Floor): Floor {
  return { ...floor, acceptedSince: null, trustedSince: null };
}
