/**
 * The clock of a person's pages: this process's, or one that is stopped at the moment that a test names and moves only
 * when the test lets time pass. Timers are always the process's: a part that ticks reads the time again.
 */
export class LightClock {
  readonly #now: number | undefined;
  /** Milliseconds. */
  #passed = 0;

  constructor(now: number | undefined) {
    this.#now = now;
  }

  runFor = async (milliseconds: number): Promise<void> => {
    this.#passed += milliseconds;
  };

  fastForward = this.runFor;

  /** The globals by which a page's script reads this clock. */
  globals(): { Date: DateConstructor; performance: { now(): number } } {
    const wall = (): number => (this.#now ?? Date.now()) + this.#passed;
    class PageDate extends Date {
      constructor(...given: [] | ConstructorParameters<DateConstructor>) {
        super(...((given.length === 0 ? [wall()] : given) as [number]));
      }
      static override now = wall;
    }
    const monotonic = (): number => (this.#now === undefined ? performance.now() : 0) + this.#passed;
    return { Date: PageDate as DateConstructor, performance: { now: monotonic } };
  }
}
