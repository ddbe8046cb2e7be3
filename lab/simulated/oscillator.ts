import type { Chance } from "../basics/chance.ts";

/** A clock's frequency errs by this, and wanders. */
export interface OscillatorPlan {
  /** Positive: slow. */
  readonly slowPpm: number;
  /** Random walk of the frequency: s/s that it gains in a second (standard deviation); 1e-9 is an ordinary crystal. */
  readonly wander: number;
}

export type Oscillator = ReturnType<typeof createOscillator>;

export function createOscillator({ slowPpm, wander }: OscillatorPlan, chance: Chance) {
  let slow = slowPpm / 1e6;
  return {
    /** Seconds that it counts while so many true ones pass. */
    count: (trueSeconds: number): number => {
      const walk = wander * Math.sqrt(trueSeconds) * chance.normal();
      // The middle of a random walk between two known ends scatters by T/12 about the mean of the ends.
      const bridge = wander * Math.sqrt(trueSeconds / 12) * chance.normal();
      const mean = slow + walk / 2 + bridge;
      slow += walk;
      return trueSeconds * (1 - mean);
    },
  };
}
