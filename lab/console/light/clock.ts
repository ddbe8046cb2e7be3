/**
 * The clock of a person's pages: this process's, or one that stands from the moment that a test says, and goes on where
 * the test lets time pass. Their timers stay the process's: what ticks looks at the time again by itself.
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

  /** What a page's script finds of it. */
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
