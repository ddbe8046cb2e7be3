import type { Uptime } from "../../host/ports.ts";

/** Two readings of coarse clocks may be so far apart without anything having happened (s). */
const coarsenessSeconds = 0.05;

/** The host clock's lag behind the trusted time, which monotonic time carries on: no setting moves it. Some 10 ms exact. */
export class TrustedOffset {
  readonly #wall: () => number;
  readonly #uptime: Uptime;
  /** Trusted time less monotonic time (s); null: no time is trusted. */
  #difference: number | null = null;

  /** `wall`: milliseconds of the host's clock. */
  constructor(wall: () => number, uptime: Uptime) {
    this.#wall = wall;
    this.#uptime = uptime;
  }

  /** The host's clock lacks so many seconds now; positive: it is behind. */
  set(offsetSeconds: number): void {
    this.#difference = this.#hostDifference() + offsetSeconds;
  }

  /** No time is trusted any more: the host's clock counts as it is. */
  forget(): void {
    this.#difference = null;
  }

  /** Seconds that the host's clock lacks; 0 where no time is trusted. */
  seconds(): number {
    if (this.#difference === null) return 0;
    const lacking = this.#difference - this.#hostDifference();
    return Math.abs(lacking) < coarsenessSeconds ? 0 : lacking;
  }

  #hostDifference(): number {
    return this.#wall() / 1_000 - this.#uptime();
  }
}
