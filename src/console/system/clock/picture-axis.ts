import {
  agreedOverlap,
  type Interval,
  placeOf,
  type Range,
} from "../../../contract/clock/source-intervals.ts";
import type { TimeSync } from "../../../contract/types.ts";

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

/** The visible part of an interval, in shares of the axis from 0 to 1; `beyond`: all of it is lower (−1) or higher (1). */
export function seenOn(axis: Range, { low, high, middle }: Interval) {
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
