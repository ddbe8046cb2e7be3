import { historySeriesNames } from "../../contract/figures/history.ts";
import { type Figures, forms, meanOf, unknownBits, worstOf } from "./figures.ts";
import { capacity, type Ring, stepOf, stepSeconds } from "./ring.ts";

export interface Moment {
  readonly uptimeSeconds: number;
  /** Seconds since 1970 by the best that the agent knows. */
  readonly nowSeconds: number;
  /** True if that time is measured at present; false: it is not known, or carried on. */
  readonly isMeasured: boolean;
}

/** A smaller movement of the clock against monotonic time changes no point's step by more than one. */
const toleranceSeconds = stepSeconds / 2;

/** Seconds for which a clock must have been steady: longer than a poll (1,024 s), in which a foreign step is undone. */
const steadySeconds = 1_200;

/** A clock that says a time so many seconds before the newest point was not set. A restart or a small step is less. */
const behindSeconds = 3_600;

/**
 * Makes readings into points, and gives points their time. A point is dated by monotonic time until the clock is measured
 * and steady: then it is settled in the ring and stays where it is (docs/design/state.md, rule 14).
 */
export class Timeline {
  #gathering: { readonly first: number; last: number; readonly readings: Figures[] } | null = null;
  /** Points that are not settled, the oldest first. */
  #pending: { readonly uptimeSeconds: number; readonly bits: readonly number[] }[] = [];
  /** The clock less monotonic time, in seconds, and since when it has been that. */
  #difference = 0;
  #steadySince = Number.NaN;
  /** The uptime of the first reading that is not settled. */
  #unsettledSince = 0;

  /** Adds a reading. True if it began a new step, and so finished the point of the one before. */
  add(moment: Moment, reading: Figures): boolean {
    const { uptimeSeconds: uptime } = moment;
    this.#follow(moment);
    const gathering = this.#gathering;
    const isSame = gathering !== null && this.#stepAt(gathering.first) === this.#stepAt(uptime);
    const isFinished = !isSame && this.finish();
    this.#gathering ??= { first: uptime, last: uptime, readings: [] };
    this.#gathering.last = uptime;
    this.#gathering.readings.push(reading);
    return isFinished;
  }

  /** Makes a point of the readings since the last one; false: there were none. */
  finish(): boolean {
    const gathering = this.#gathering;
    if (gathering === null) return false;
    this.#gathering = null;
    const uptimeSeconds = (gathering.first + gathering.last) / 2;
    this.#pending.push({ uptimeSeconds, bits: pointOf(gathering.readings) });
    if (this.#pending.length > capacity) this.#pending.shift();
    return true;
  }

  /** Settles the points in the ring, if the clock is measured and has been steady. */
  settle(ring: Ring, moment: Moment): void {
    if (!this.#isSettled(moment)) return;
    // Points that were settled later than now were dated by a clock that was wrong.
    ring.forgetAfter(this.#stepAt(moment.uptimeSeconds));
    for (const { uptimeSeconds, bits } of this.#pending) ring.put(this.#stepAt(uptimeSeconds), bits);
    this.#pending = [];
    this.#unsettledSince = moment.uptimeSeconds;
  }

  /** The ring with all points, each in its step by the present clock, and the number of the present step. */
  laid(ring: Ring, moment: Moment): { readonly ring: Ring; readonly present: number } {
    this.#follow(moment);
    const later = this.#isSettled(moment) ? 0 : this.#stepsBehind(ring);
    const copy = ring.copy();
    for (const { uptimeSeconds, bits } of this.#pending) copy.put(this.#stepAt(uptimeSeconds) + later, bits);
    return { ring: copy, present: this.#stepAt(moment.uptimeSeconds) + later };
  }

  #follow({ uptimeSeconds, nowSeconds }: Moment): void {
    const difference = nowSeconds - uptimeSeconds;
    const isFirst = Number.isNaN(this.#steadySince);
    if (!isFirst && Math.abs(difference - this.#difference) <= toleranceSeconds) return;
    this.#difference = difference;
    this.#steadySince = uptimeSeconds;
    if (isFirst) this.#unsettledSince = uptimeSeconds;
  }

  #isSettled({ uptimeSeconds, isMeasured }: Moment): boolean {
    return isMeasured && uptimeSeconds - this.#steadySince >= steadySeconds;
  }

  /** Steps by which points that are not settled come after the newest that is: that time has certainly passed. */
  #stepsBehind(ring: Ring): number {
    const behind = ring.newest() - this.#stepAt(this.#unsettledSince);
    return behind * stepSeconds > behindSeconds ? behind + 1 : 0;
  }

  #stepAt(uptimeSeconds: number): number {
    return stepOf(uptimeSeconds + this.#difference);
  }
}

/** The mean and the worst of each series, as bits. */
function pointOf(readings: readonly Figures[]): number[] {
  return historySeriesNames.flatMap((name) => {
    // A sensor's file may have no number in it for a moment.
    const known = readings.map((reading) => reading[name] ?? Number.NaN).filter(Number.isFinite);
    return [meanOf(known), worstOf(name, known)].map((one) =>
      one === null ? unknownBits : forms[name].toBits(one),
    );
  });
}
