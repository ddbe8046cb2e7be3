import type { Timers } from "../../host/ports.ts";

export interface TimetableOptions {
  readonly timers: Timers;
  readonly onRound: (exchanges: number) => void;
  /** Never rejects; the next check comes when it is done. */
  readonly onCheck: () => Promise<void>;
}

/** Seconds between two checks of what else runs on the host; each is a few stat(2) calls. */
const checkSeconds = 30;

const nothing = (): void => undefined;

/** When the loop wakes up: for the next round, and for a check every half minute. */
export class Timetable {
  readonly #options: TimetableOptions;
  #isRunning = false;
  #cancelRound = nothing;
  #cancelCheck = nothing;

  constructor(options: TimetableOptions) {
    this.#options = options;
  }

  start(): void {
    this.#isRunning = true;
    this.#checkLater();
  }

  /** The next round is in so many seconds, whatever was set before; nothing while it is stopped. */
  roundIn(seconds: number, exchanges: number): void {
    const { timers, onRound } = this.#options;
    this.#cancelRound();
    if (this.#isRunning) this.#cancelRound = timers.after(seconds, () => onRound(exchanges));
  }

  noRound(): void {
    this.#cancelRound();
  }

  stop(): void {
    this.#isRunning = false;
    this.#cancelRound();
    this.#cancelCheck();
  }

  #checkLater(): void {
    const { timers, onCheck } = this.#options;
    if (!this.#isRunning) return;
    this.#cancelCheck = timers.after(checkSeconds, () => {
      void onCheck().then(() => this.#checkLater());
    });
  }
}
