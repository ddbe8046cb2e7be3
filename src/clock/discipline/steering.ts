import type { ClockDriver, ClockQuality, ClockReading, Leap } from "../../host/ports.ts";
import type { Counters } from "../status/counters.ts";
import {
  type Action,
  beginDiscipline,
  type DisciplineRules,
  type DisciplineState,
  discipline,
  frequencyWasSet,
  type Measurement,
  trimSeconds,
} from "./discipline.ts";
import { predict } from "./estimate.ts";
import { createPaperClock } from "./virtual-clock.ts";

/** What somebody else did to the clock that is ours. */
export type ForeignHand =
  | { readonly kind: "step"; readonly seconds: number }
  | { readonly kind: "frequency"; readonly ppm: number };

/** The one hand on the clock: the host's, or one on paper where the host's is not ours to set. */
export interface Steering {
  /** The clock that is steered. */
  read(): ClockReading;
  isOnPaper(): boolean;
  /** What the host's own clock lacks of the steered one (s); positive: the host is behind. Zero but on paper. */
  hostOffsetSeconds(): number;
  /** Takes the host's clock, or one on paper, in hand anew; `isFresh`: nothing relies on it yet. */
  take(which: "host" | "paper", isFresh: boolean): void;
  /** Decides on a measurement and does what is decided. */
  apply(measurement: Measurement, rules: DisciplineRules): Action;
  /** Steps the clock by hand. */
  step(seconds: number): void;
  /**
   * Seconds that the steered clock was moved by in all, whoever did it, against an oscillator as it is believed to be;
   * positive: forward. Two offsets of different moments differ by as much less.
   */
  moved(): number;
  /** Ends a trim that has had its time, so that a clock that nobody measures any more runs on at its own rate. */
  endTrim(): void;
  /** What is believed of the clock now: its error (s) and its oscillator's (ppm); null: nothing measured yet. */
  believed(): { offsetSeconds: number; frequencyPpm: number; frequencyDeviationPpm: number } | null;
  /** What others did to the host's clock since the last look; null: nothing. */
  foreignHand(expectedLeap: Leap): ForeignHand | null;
  setQuality(quality: ClockQuality): void;
}

export interface SteeringOptions {
  readonly driver: ClockDriver;
  readonly counters: Counters;
  /** The oscillator's error as it was stored (ppm); null: never measured. */
  readonly storedPpm: () => number | null;
  readonly onStep: (seconds: number) => void;
}

/** Seconds that the difference of two clocks of the same kernel may seem to move by because they are read one after the other. */
const readingNoiseSeconds = 1e-3;

/** ppm: the kernel keeps frequencies in units of 2^-16 ppm. */
const frequencyNoisePpm = 0.01;

export function createSteering(options: SteeringOptions): Steering {
  return new OneHand(options);
}

class OneHand implements Steering {
  readonly #options: SteeringOptions;
  #hand: ClockDriver;
  #state: DisciplineState;
  /** Wall less monotonic seconds of the host, as our own steps left it. */
  #difference: number;
  /** What the kernel makes up for as we set it (ppm); null: we have not set it. */
  #setPpm: number | null = null;
  /** What the clock was moved by until the estimate. */
  #moved = 0;
  /** Monotonic seconds at which the present trim has done its work; null: there is none. */
  #trimEndsAt: number | null = null;
  /** What the kernel made up for when the clock on paper began, which runs on the kernel's (ppm). */
  #basePpm = 0;
  /** Leap second that the kernel was told of last. */
  #toldLeap: Leap = "none";

  constructor(options: SteeringOptions) {
    this.#options = options;
    this.#hand = createPaperClock(options.driver);
    this.#state = beginDiscipline(true, 0);
    this.#difference = differenceOf(options.driver);
  }

  read(): ClockReading {
    return this.#hand.read();
  }

  isOnPaper(): boolean {
    return this.#hand !== this.#options.driver;
  }

  hostOffsetSeconds(): number {
    if (!this.isOnPaper()) return 0;
    return this.#hand.read().wallSeconds - this.#options.driver.read().wallSeconds;
  }

  take(which: "host" | "paper", isFresh: boolean): void {
    const { driver } = this.#options;
    const moved = this.moved();
    const before = this.#hand.read();
    this.#hand = which === "host" ? driver : createPaperClock(driver);
    const after = this.#hand.read();
    this.#moved = moved + differenceIn(after) - differenceIn(before);
    const kernelPpm = driver.kernel()?.frequencyPpm ?? 0;
    this.#basePpm = which === "host" ? 0 : kernelPpm;
    this.#state = beginDiscipline(isFresh, kernelPpm - this.#basePpm);
    this.#setPpm = null;
    this.#trimEndsAt = null;
    this.#difference = differenceOf(driver);
  }

  apply(measurement: Measurement, rules: DisciplineRules): Action {
    const { state, action } = discipline(this.#state, measurement, rules, this.#knownPpm());
    if (action.kind === "step" || action.kind === "slew") {
      const moved = this.moved();
      this.#state = state;
      this.#moved = moved;
      this.#perform(action, rules);
    } else this.#state = state;
    return action;
  }

  #perform(action: Extract<Action, { kind: "step" | "slew" }>, rules: DisciplineRules): void {
    this.#trimEndsAt = null;
    if (action.kind === "step") this.step(action.seconds);
    this.#setFrequency(action.frequencyPpm);
    if (action.kind === "step") return;
    this.#slew(action.seconds);
    if (action.seconds === 0) this.#trimEndsAt = rules.nowSeconds + trimSeconds(rules);
  }

  endTrim(): void {
    const now = this.read().monotonicSeconds;
    const { estimate, control } = this.#state;
    if (this.#trimEndsAt === null || !estimate || now < this.#trimEndsAt) return;
    this.#moved = this.moved();
    const present = predict(estimate, now, control);
    this.#state = { ...this.#state, estimate: present };
    this.#trimEndsAt = null;
    this.#setFrequency(clamped(present.frequency * 1e6));
  }

  step(seconds: number): void {
    this.#hand.step(seconds);
    this.#moved += seconds;
    this.#options.counters.add("steps");
    if (!this.isOnPaper()) this.#difference = differenceOf(this.#options.driver);
    this.#options.onStep(seconds);
  }

  moved(): number {
    const { estimate, control } = this.#state;
    if (!estimate) return this.#moved;
    const present = predict(estimate, this.read().monotonicSeconds, control);
    return this.#moved + estimate.offsetSeconds - present.offsetSeconds;
  }

  believed(): ReturnType<Steering["believed"]> {
    const { estimate, control } = this.#state;
    if (!estimate) return null;
    const present = predict(estimate, this.read().monotonicSeconds, control);
    return {
      offsetSeconds: present.offsetSeconds,
      frequencyPpm: present.frequency * 1e6 + this.#basePpm,
      frequencyDeviationPpm: Math.sqrt(present.frequencyVariance) * 1e6,
    };
  }

  foreignHand(expectedLeap: Leap): ForeignHand | null {
    const { driver } = this.#options;
    if (this.isOnPaper()) return null;
    const present = differenceOf(driver);
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
    this.#hand.setQuality(quality);
    this.#toldLeap = quality.leap;
  }

  /** A clock that another program disciplined before us runs at the frequency that it found. */
  #knownPpm(): number | null {
    const stored = this.#options.storedPpm();
    if (stored !== null) return clamped(stored - this.#basePpm);
    if (this.isOnPaper()) return this.#basePpm === 0 ? null : 0;
    const present = this.#options.driver.kernel()?.frequencyPpm ?? 0;
    return present === 0 ? null : clamped(present);
  }

  #setFrequency(ppm: number): void {
    const really = this.#hand.setFrequency(ppm);
    this.#options.counters.add("frequency_changes");
    this.#setPpm = really;
    this.#state = frequencyWasSet(this.#state, really);
  }

  /** Zero too: it ends what is left of the last slew, which the new measurement has in it. */
  #slew(seconds: number): void {
    this.#hand.slew(seconds);
    if (seconds !== 0) this.#options.counters.add("slews");
  }
}

function differenceOf(driver: ClockDriver): number {
  return differenceIn(driver.read());
}

function differenceIn({ wallSeconds, monotonicSeconds }: ClockReading): number {
  return wallSeconds - monotonicSeconds;
}

/** A foreign tick may show as a frequency beyond the kernel's own bound. */
function clamped(ppm: number): number {
  return Math.max(-500, Math.min(500, ppm));
}

/** An inserted second sets the wall clock back by one, a deleted one forward. */
function isLeapSecond(seconds: number, leap: Leap): boolean {
  const expected = { none: 0, insert: -1, delete: 1 }[leap];
  return expected !== 0 && Math.abs(seconds - expected) < 0.1;
}
