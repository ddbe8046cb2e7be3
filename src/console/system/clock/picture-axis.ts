import {
  agreedOverlap,
  type Interval,
  placeOf,
  type Range,
} from "../../../contract/clock/source-intervals.ts";
import type { TimeSync } from "../../../contract/types.ts";
import { roundUp, tooWide } from "../../plot/axis.ts";

/** The visible part of an interval, in shares of the axis from 0 to 1; `beyond`: all of it is lower (−1) or higher (1). */
export interface Seen {
  readonly from: number;
  readonly to: number;
  readonly middle: number;
  readonly isCutLow: boolean;
  readonly isCutHigh: boolean;
  readonly beyond: -1 | 0 | 1;
}

/** Seconds to either side of this device that a strip has at least: a smaller difference is too small to matter. */
const leastBound = 1e-3;

/** As many times the bound of those that agree a strip may grow to show one more: a farther one is at its end. */
const boundReach = 5;

/** As many times the farthest, so that a place is not at the very end. */
const boundMargin = 1.1;

/** The overlap of all sources that agree, else the device's estimate from them; null: none is selected. */
export function agreedRange({
  sources,
  offset_seconds,
  uncertainty_seconds,
}: Pick<TimeSync, "sources" | "offset_seconds" | "uncertainty_seconds">): Range | null {
  if (!sources.some(({ state }) => state === "selected")) return null;
  const overlap = agreedOverlap(sources);
  if (overlap !== null) return overlap;
  // More than half of them suffice, so that all together need not overlap.
  if (offset_seconds === null || uncertainty_seconds === null) return null;
  return { low: offset_seconds - uncertainty_seconds, high: offset_seconds + uncertainty_seconds };
}

/**
 * Seconds to either side of this device that a strip has: a round number that shows all of `core`, and those of `others`
 * that are not too far. The one before is kept as an axis is.
 */
export function keptBound(before: number | null, core: readonly number[], others: readonly number[]): number {
  const inner = Math.max(leastBound, ...core.map((offset) => boundMargin * Math.abs(offset)));
  const near = others
    .map((offset) => boundMargin * Math.abs(offset))
    .filter((one) => one <= boundReach * inner);
  const needed = Math.max(inner, ...near);
  const next = roundUp(needed);
  return before !== null && needed <= before && before <= tooWide * next ? before : next;
}

/** Share of a strip from its earlier end, which is also that of all that is beyond it. */
export function shareOf(bound: number, offset: number): number {
  return Math.min(1, Math.max(0, (offset + bound) / (2 * bound)));
}

/** The part of an interval that the axis shows. */
export function seenOn(axis: Range, { low, high, middle }: Interval): Seen {
  const [from, to] = [placeOf(axis, low), placeOf(axis, high)];
  return {
    from: Math.min(1, Math.max(0, from)),
    to: Math.min(1, Math.max(0, to)),
    middle: placeOf(axis, middle),
    isCutLow: from < 0,
    isCutHigh: to > 1,
    beyond: to < 0 ? -1 : from > 1 ? 1 : 0,
  };
}
