import type { Uptime } from "../../host/ports.ts";

/**
 * The time that somebody vouched for, carried on by monotonic time: whoever sets the host's clock meanwhile does not
 * move it. It is as exact as sign-in needs it, some 10 ms.
 */
export interface VouchedTime {
  /** The host's clock lacks so many seconds now; positive: it is behind. */
  set(offsetSeconds: number): void;
  /** Nobody vouches any more: the host's clock counts as it is. */
  forget(): void;
  /** Seconds that the host's clock lacks; 0 where nobody vouches. */
  offsetSeconds(): number;
}

/** Two readings of coarse clocks may be so far apart without anything having happened (s). */
const coarsenessSeconds = 0.05;

/** `wall`: milliseconds of the host's clock. */
export function createVouchedTime(wall: () => number, uptime: Uptime): VouchedTime {
  const difference = (): number => wall() / 1_000 - uptime();
  let vouched: number | null = null;
  return {
    set: (offsetSeconds) => {
      vouched = difference() + offsetSeconds;
    },
    forget: () => {
      vouched = null;
    },
    offsetSeconds: () => {
      if (vouched === null) return 0;
      const lacking = vouched - difference();
      return Math.abs(lacking) < coarsenessSeconds ? 0 : lacking;
    },
  };
}
