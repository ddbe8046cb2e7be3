import { StewardError } from "../../src/contract/errors.ts";
import type { ClockDriver, ClockQuality, Leap, SteeringBlocker } from "../../src/host/ports.ts";
import type { Chance } from "../basics/chance.ts";
import type { Oscillator } from "./oscillator.ts";

interface KernelClockOptions {
  readonly oscillator: Oscillator;
  readonly chance: Chance;
  /** True seconds since the beginning. */
  readonly now: () => number;
  /** Seconds since 1970 at the beginning. */
  readonly trueStartSeconds: number;
  /** Wall clock less true time at the beginning. */
  readonly errorSeconds: number;
  readonly blocker: SteeringBlocker | null;
  /** Seconds for which the host has been up at the beginning; 30 unless said otherwise. */
  readonly uptimeAtStart?: number;
}

const daySeconds = 86_400;
/** adjtime(3): 500 µs a second. */
const slewRate = 500e-6;
/** timex.h: MAXFREQ. */
const largestPpm = 500;
/** NTP_PHASE_LIMIT, seconds. */
const unknownError = 16;
/** The two clocks of a reading are read one after the other (s). */
const readingNoise = 1e-6;

/** The kernel's clock of a simulated host, and what the world sees of it. */
export class KernelClock {
  readonly driver: ClockDriver;
  /** Calls of the driver that set something, those among them that move the clock, and the steps (s). */
  calls = 0;
  moves = 0;
  readonly steps: number[] = [];
  readonly #options: KernelClockOptions;
  #trueAt = 0;
  #monotonic: number;
  /** Wall less monotonic, without the true time of the beginning. */
  #difference: number;
  #trueLeap = 0;
  #frequencyPpm = 0;
  #slew = 0;
  #isSynchronised = false;
  #maxError = unknownError;
  #estError = unknownError;
  #leap: Leap = "none";
  /** Seconds since 1970 by the wall clock at which the leap second is due; null: it is over, or none is. */
  #leapAt: number | null = null;

  constructor(options: KernelClockOptions) {
    this.#options = options;
    const { uptimeAtStart = 30, errorSeconds } = options;
    this.#monotonic = uptimeAtStart;
    this.#difference = errorSeconds - uptimeAtStart;
    const set =
      <T extends unknown[], R>(call: (...args: T) => R) =>
      (...args: T): R => {
        this.calls += 1;
        if (options.blocker) throw new StewardError("forbidden", "This clock is not ours to set.");
        this.#advance();
        return call(...args);
      };
    const move = <R>(call: (by: number) => R) =>
      set((by: number): R => {
        this.moves += 1;
        return call(by);
      });
    this.driver = {
      blocker: options.blocker,
      read: () => this.#read(),
      kernel: () => this.#kernel(),
      step: move((seconds) => {
        this.steps.push(seconds);
        this.#step(seconds);
      }),
      slew: move((seconds) => {
        this.#slew = seconds;
      }),
      setFrequency: move((ppm) => this.#setFrequency(ppm)),
      setQuality: set((quality) => this.#setQuality(quality)),
    };
  }

  /** Wall clock less true time (s); positive: ahead. */
  errorSeconds(): number {
    this.#advance();
    return this.#monotonic + this.#difference - this.#trueAt - this.#trueLeap;
  }

  /** Milliseconds as Date.now() gives them. */
  wallMilliseconds(): number {
    return Math.floor(this.#read().wallSeconds * 1_000);
  }

  /** Seconds as /proc/uptime gives them. */
  uptimeSeconds(): number {
    return Math.floor(this.#read().monotonicSeconds * 100) / 100;
  }

  /** UTC repeats a second, or leaves one out (−1, 1). */
  leapTrueTime(seconds: number): void {
    this.#advance();
    this.#trueLeap += seconds;
  }

  /** Another program's hands. */
  stepByOther(seconds: number): void {
    this.#advance();
    this.#step(seconds);
  }

  setFrequencyByOther(ppm: number): void {
    this.#advance();
    this.#setFrequency(ppm);
  }

  /** The host has slept; on waking its clocks are set on by the battery-backed clock, which errs by so much. */
  wakeUp(errorSeconds: number): void {
    // Boottime is set on by the same figure as the wall clock.
    this.#monotonic += this.#options.now() - this.#trueAt + errorSeconds;
    this.#trueAt = this.#options.now();
  }

  #wall(): number {
    return this.#options.trueStartSeconds + this.#monotonic + this.#difference;
  }

  #read() {
    this.#advance();
    const late = readingNoise * this.#options.chance.uniform();
    return { wallSeconds: this.#wall() + late, monotonicSeconds: this.#monotonic };
  }

  #kernel() {
    this.#advance();
    return {
      isSynchronised: this.#isSynchronised,
      maxErrorSeconds: this.#maxError,
      estErrorSeconds: this.#estError,
      frequencyPpm: this.#frequencyPpm,
      slewRemainingSeconds: this.#slew,
      leap: this.#leap,
    };
  }

  #advance(): void {
    const elapsed = this.#options.now() - this.#trueAt;
    if (elapsed <= 0) return;
    this.#trueAt += elapsed;
    const slewed = Math.sign(this.#slew) * Math.min(Math.abs(this.#slew), slewRate * elapsed);
    this.#slew -= slewed;
    this.#monotonic += this.#options.oscillator.count(elapsed) * (1 + this.#frequencyPpm / 1e6) + slewed;
    // ntp_update_frequency's MAXFREQ is what the kernel's own error bound grows by.
    this.#maxError = Math.min(unknownError, this.#maxError + largestPpm * 1e-6 * elapsed);
    if (this.#maxError >= unknownError) this.#isSynchronised = false;
    this.#insertLeapSecond();
  }

  #insertLeapSecond(): void {
    if (this.#leapAt === null || this.#wall() < this.#leapAt) return;
    this.#difference += this.#leap === "insert" ? -1 : 1;
    this.#leapAt = null;
  }

  #step(seconds: number): void {
    this.#difference += seconds;
    this.#slew = 0;
    this.#isSynchronised = false;
    this.#maxError = unknownError;
    this.#estError = unknownError;
  }

  #setFrequency(ppm: number): number {
    const clamped = Math.max(-largestPpm, Math.min(largestPpm, ppm));
    this.#frequencyPpm = Math.round(clamped * 65_536) / 65_536;
    return this.#frequencyPpm;
  }

  #setQuality(quality: ClockQuality): void {
    this.#isSynchronised = quality.isSynchronised;
    this.#maxError = quality.maxErrorSeconds;
    this.#estError = quality.estErrorSeconds;
    if (quality.leap === this.#leap) return;
    this.#leap = quality.leap;
    const dayEnd = Math.ceil(this.#wall() / daySeconds) * daySeconds;
    // A second that is left out is the last one of the day. Once made, the flag must be cleared before the next.
    this.#leapAt = { none: null, insert: dayEnd, delete: dayEnd - 1 }[quality.leap];
  }
}
