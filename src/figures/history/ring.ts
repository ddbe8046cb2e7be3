import { historySeriesNames } from "../../contract/figures/history.ts";
import { unknownBits } from "./figures.ts";

/** Seconds of a step. Steps are counted from 1970 in UTC, so that each has one number. */
export const stepSeconds = 300;

/** Steps in the ring: seven days. */
export const capacity = (7 * 86_400) / stepSeconds;

/** Figures of a step: the mean and the worst of each series, one beside the other. */
export const columns = historySeriesNames.length * 2;

/** The number of the step that a time (seconds since 1970) is in. */
export function stepOf(seconds: number): number {
  return Math.floor(seconds / stepSeconds);
}

/** The figures of the last seven days, one point a step. A step without a point has no figures. */
export class Ring {
  #newest: number;
  readonly #values: Int16Array;

  /** `newest`: the last step that has a point; −1: there is none. */
  constructor(newest = -1, values = new Int16Array(capacity * columns).fill(unknownBits)) {
    this.#newest = newest;
    this.#values = values;
  }

  newest(): number {
    return this.#newest;
  }

  values(): Int16Array {
    return this.#values;
  }

  copy(): Ring {
    return new Ring(this.#newest, this.#values.slice());
  }

  /** The figures of a step as bits; null: it has no point. */
  at(step: number): Int16Array | null {
    if (step > this.#newest || step <= this.#newest - capacity || step < 0) return null;
    const point = this.#place(step);
    return point.every((bits) => bits === unknownBits) ? null : point;
  }

  /** Keeps a point for a step that has none; a step that has one keeps it, and one before the seven days gets none. */
  put(step: number, point: ArrayLike<number>): void {
    if (step < 0 || step <= this.#newest - capacity || this.at(step) !== null) return;
    if (step > this.#newest) this.#clear(this.#newest + 1, step);
    this.#newest = Math.max(this.#newest, step);
    this.#place(step).set(point);
  }

  forgetAfter(step: number): void {
    if (step >= this.#newest) return;
    this.#clear(step + 1, this.#newest);
    this.#newest = Math.max(-1, step);
  }

  #clear(first: number, last: number): void {
    for (let step = Math.max(0, first, last - capacity + 1); step <= last; step += 1)
      this.#place(step).fill(unknownBits);
  }

  #place(step: number): Int16Array {
    const start = (step % capacity) * columns;
    return this.#values.subarray(start, start + columns);
  }
}
