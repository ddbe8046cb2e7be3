import {
  agreedOverlap,
  type Interval,
  placeOf,
  type Range,
  withMargin,
} from "../../../contract/clock/source-intervals.ts";
import type { TimeSync } from "../../../contract/types.ts";

/** The one scale of a picture: both ends are multiples of `step` (s). */
export interface Axis extends Range {
  readonly step: number;
}

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

/** Share of the span that is left free at each end, so that an interval's end is seen. */
const margin = 0.04;

/** Parts that an axis has about. */
const parts = 4;

/** An axis that values no longer fill is kept until it is as many times too wide. */
const tooWide = 4;

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

/** The axis that was there before, as long as it shows all that must be seen and is not too wide; else a new one. */
export function keepAxis(before: Axis | null, needed: Range): Axis {
  const next = axisFor(needed);
  if (before === null || needed.low < before.low || needed.high > before.high) return next;
  return before.high - before.low > tooWide * (next.high - next.low) ? next : before;
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

/** An axis with round ends that shows all of the range. */
export function axisFor(range: Range): Axis {
  const { low, high } = withMargin(range, margin);
  const step = roundUp((high - low) / parts);
  return { low: Math.floor(low / step) * step, high: Math.ceil(high / step) * step, step };
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

/** A share as SVG takes it. */
export function percent(share: number): string {
  return `${(share * 100).toFixed(2)}%`;
}

/** The next of 1, 2 and 5 by powers of ten. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const factor = [1, 2, 5].find((one) => one * power >= value * (1 - 1e-9)) ?? 10;
  return factor * power;
}
