import type { History } from "../../src/contract/types.ts";
import type { Figures } from "../../src/figures/history/figures.ts";
import { DeviceHistory } from "../../src/figures/history/history.ts";

/** The true time at the beginning, in seconds since 1970: the begin of a step. */
const trueStart = 1_800_000_000;

const nothingKnown: Figures = {
  clock_offset_seconds: null,
  clock_uncertainty_seconds: null,
  disk_used_ratio: null,
  memory_used_ratio: null,
  load: null,
  temperature_celsius: null,
};

/** A point of an answer: when it says that it was, and when its last reading was in truth; in minutes from the beginning. */
export interface DatedPoint {
  readonly said: number;
  readonly was: number;
}

/**
 * A device that keeps its history in a directory. Each minute's reading says in its load which minute it is in truth, so
 * that an answer shows where each reading has come to.
 */
export class RecordedDevice {
  /** Minutes of true time since the beginning. */
  minute = 0;
  /** Seconds by which the clock is wrong. */
  error = 0;
  isMeasured = true;
  /** Further figures of each reading. */
  figures: Partial<Figures> = {};
  readonly warnings: string[] = [];
  #bootMinute = 0;
  #history: DeviceHistory;
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
    this.#history = this.#open();
  }

  /** Lets so many minutes pass, each with its reading. */
  async run(minutes: number): Promise<void> {
    for (let count = 0; count < minutes; count += 1) {
      this.minute += 1;
      await this.#history.take({ offset_seconds: null, uncertainty_seconds: null });
    }
  }

  close(): Promise<void> {
    return this.#history.close();
  }

  /** Begins again by what is on the disk, after so many minutes without power. */
  restart(minutesOff = 0): void {
    this.minute += minutesOff;
    this.#bootMinute = this.minute;
    this.#history = this.#open();
  }

  read(hours = 168, stepSeconds = 300): Promise<History> {
    return this.#history.read(hours, stepSeconds);
  }

  /** The points of the last seven days, in the order of the answer. */
  async points(): Promise<DatedPoint[]> {
    const { start, step_seconds, series } = await this.read();
    const first = (Date.parse(start) / 1_000 - trueStart) / 60;
    return series.load.worst.flatMap((load, index) =>
      load === null ? [] : [{ said: first + (index * step_seconds) / 60, was: Math.round(load * 100) }],
    );
  }

  #open(): DeviceHistory {
    return new DeviceHistory({
      directory: this.#directory,
      readsOnly: false,
      moment: () => ({
        uptimeSeconds: 10 + (this.minute - this.#bootMinute) * 60,
        nowSeconds: trueStart + this.minute * 60 + this.error,
        isMeasured: this.isMeasured,
      }),
      read: async () => ({ ...nothingKnown, ...this.figures, load: this.minute / 100 }),
      warn: (message, detail) => this.warnings.push(`${message}: ${detail}`),
    });
  }
}
