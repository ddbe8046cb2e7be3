import type { ClockDriver, ClockQuality, ClockReading, Leap } from "../../host/ports.ts";
import type { Counters } from "../counters.ts";
import {
  type Action,
  beginDiscipline,
  boundedPpm,
  type DisciplineRules,
  type DisciplineState,
  discipline,
  type Measurement,
} from "./discipline.ts";
import { predict } from "./estimate.ts";
import { createVirtualClock } from "./virtual-clock.ts";

/** A change that another program or person made to the clock that the agent steers. */
export type ExternalChange =
  | { readonly kind: "step"; readonly seconds: number }
  | { readonly kind: "frequency"; readonly ppm: number };

/** A step that was made; `isOfHost` false: of a virtual clock. */
export interface StepMade {
  readonly at: Date;
  readonly seconds: number;
  readonly isOfHost: boolean;
}

export interface SteeringOptions {
  readonly driver: ClockDriver;
  readonly counters: Counters;
  /** The oscillator's error as it was stored (ppm); null: never measured. */
  readonly storedPpm: () => number | null;
}

/** Seconds by which two clocks of one kernel seem to move apart because they are read one after the other. */
const readingNoiseSeconds = 1e-3;

/** ppm: the kernel keeps frequencies in units of 2^-16 ppm. */
const frequencyNoisePpm = 0.01;

/** The one place that steers a clock: the host's, or a virtual one where the host's is not the agent's to set. */
export class Steering {
  readonly #options: SteeringOptions;
  #clock: ClockDriver;
  #state: DisciplineState;
  /** Wall less monotonic seconds of the host, after our own last step. */
  #difference: number;
  /** The frequency that was set in the kernel (ppm); null: none was set. */
  #setPpm: number | null = null;
  /** The seconds that the clock was moved by until the estimate. */
  #moved = 0;
  /** Monotonic seconds at which the present trim ends; null: there is none. */
  #trimEndsAt: number | null = null;
  /** The kernel's frequency when the virtual clock began, which runs on top of it (ppm). */
  #basePpm = 0;
  /** The leap second that the kernel was last given. */
  #toldLeap: Leap = "none";
  #lastStep: StepMade | null = null;

  constructor(options: SteeringOptions) {
    this.#options = options;
    this.#clock = createVirtualClock(options.driver);
    this.#state = beginDiscipline(true, 0);
    this.#difference = differenceIn(options.driver.read());
  }

  read(): ClockReading {
    return this.#clock.read();
  }

  isVirtual(): boolean {
    return this.#clock !== this.#options.driver;
  }

  /** The lag of the host's own clock behind the steered one (s). 0 unless that is virtual. */
  hostOffsetSeconds(): number {
    if (!this.isVirtual()) return 0;
    return this.#clock.read().wallSeconds - this.#options.driver.read().wallSeconds;
  }

  /** Steers the host's clock, or a virtual one, from now on; `isFresh`: nothing relies on it yet. */
  take(which: "host" | "virtual", isFresh: boolean): void {
    const { driver } = this.#options;
    const moved = this.moved();
    const before = this.#clock.read();
    this.#clock = which === "host" ? driver : createVirtualClock(driver);
    const after = this.#clock.read();
    this.#moved = moved + differenceIn(after) - differenceIn(before);
    const kernelPpm = driver.kernel()?.frequencyPpm ?? 0;
    this.#basePpm = which === "host" ? 0 : kernelPpm;
    this.#state = beginDiscipline(isFresh, kernelPpm - this.#basePpm);
    this.#setPpm = null;
    this.#trimEndsAt = null;
    this.#difference = differenceIn(driver.read());
  }

  apply(measurement: Measurement, rules: DisciplineRules): Action {
    const { state, action } = discipline(this.#state, measurement, rules, this.#knownPpm());
    const moved = this.moved();
    this.#state = state;
    if (action.kind !== "step" && action.kind !== "slew") return action;
    this.#moved = moved;
    this.#trimEndsAt = null;
    if (action.kind === "step") this.step(action.seconds);
    this.#setFrequency(action.frequencyPpm);
    if (action.kind === "step") return action;
    // Also with 0: that ends the rest of the last slew, which the new measurement contains.
    this.#clock.slew(action.seconds);
    if (action.seconds !== 0) this.#options.counters.add("slews");
    else this.#trimEndsAt = rules.nowSeconds + rules.pollSeconds;
    return action;
  }

  /** Ends a trim that has had its time, so that a clock without further measurements runs on at its own rate. */
  endTrim(): void {
    const now = this.read().monotonicSeconds;
    const { estimate, control } = this.#state;
    if (this.#trimEndsAt === null || !estimate || now < this.#trimEndsAt) return;
    this.#moved = this.moved();
    const present = predict(estimate, now, control);
    this.#state = { ...this.#state, estimate: present };
    this.#trimEndsAt = null;
    this.#setFrequency(boundedPpm(present.frequency * 1e6));
  }

  step(seconds: number): void {
    this.#clock.step(seconds);
    this.#moved += seconds;
    this.#options.counters.add("steps");
    if (!this.isVirtual()) this.#difference = differenceIn(this.#options.driver.read());
    const at = new Date(this.read().wallSeconds * 1_000);
    this.#lastStep = { at, seconds, isOfHost: !this.isVirtual() };
  }

  lastStep(): StepMade | null {
    return this.#lastStep;
  }

  /** Seconds moved in all, against the oscillator as believed; positive: forward. Two offsets differ by as much less. */
  moved(): number {
    const { estimate, control } = this.#state;
    if (!estimate) return this.#moved;
    const present = predict(estimate, this.read().monotonicSeconds, control);
    return this.#moved + estimate.offsetSeconds - present.offsetSeconds;
  }

  /** The present estimate of the clock's error (s) and its oscillator's (ppm); null: not measured yet. */
  believed(): { offsetSeconds: number; frequencyPpm: number; frequencyDeviationPpm: number } | null {
    const { estimate, control } = this.#state;
    if (!estimate) return null;
    const present = predict(estimate, this.read().monotonicSeconds, control);
    return {
      offsetSeconds: present.offsetSeconds,
      frequencyPpm: present.frequency * 1e6 + this.#basePpm,
      frequencyDeviationPpm: Math.sqrt(present.frequencyVariance) * 1e6,
    };
  }

  /** The change of the host's clock from outside since the last call; null: there was none. */
  externalChange(expectedLeap: Leap): ExternalChange | null {
    const { driver } = this.#options;
    if (this.isVirtual()) return null;
    const present = differenceIn(driver.read());
    const seconds = present - this.#difference;
    this.#difference = present;
    const isLeap = isLeapSecond(seconds, expectedLeap) || isLeapSecond(seconds, this.#toldLeap);
    if (Math.abs(seconds) > readingNoiseSeconds && !isLeap) {
      this.#moved += seconds;
      return { kind: "step", seconds };
    }
    const ppm = driver.kernel()?.frequencyPpm;
    if (ppm === undefined || this.#setPpm === null) return null;
    if (Math.abs(ppm - this.#setPpm) <= frequencyNoisePpm) return null;
    this.#setPpm = null;
    return { kind: "frequency", ppm };
  }

  setQuality(quality: ClockQuality): void {
    this.#clock.setQuality(quality);
    this.#toldLeap = quality.leap;
  }

  /** The stored frequency; if none is stored, the one that another program left in the kernel. */
  #knownPpm(): number | null {
    const stored = this.#options.storedPpm();
    if (stored !== null) return boundedPpm(stored - this.#basePpm);
    if (this.isVirtual()) return this.#basePpm === 0 ? null : 0;
    const present = this.#options.driver.kernel()?.frequencyPpm ?? 0;
    return present === 0 ? null : boundedPpm(present);
  }

  #setFrequency(ppm: number): void {
    const really = this.#clock.setFrequency(ppm);
    this.#options.counters.add("frequency_changes");
    this.#setPpm = really;
    this.#state = { ...this.#state, control: { ...this.#state.control, frequency: really / 1e6 } };
  }
}

function differenceIn({ wallSeconds, monotonicSeconds }: ClockReading): number {
  return wallSeconds - monotonicSeconds;
}

/** An inserted second sets the wall clock back by one, a deleted one forward. */
function isLeapSecond(seconds: number, leap: Leap): boolean {
  const expected = { none: 0, insert: -1, delete: 1 }[leap];
  return expected !== 0 && Math.abs(seconds - expected) < 0.1;
}
