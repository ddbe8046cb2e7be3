import type { TimeSource } from "../../contract/types.ts";

/** The interval of the true offset by one source (s); `low` and `high` are equal where it gives no uncertainty. */
export interface Interval {
  readonly low: number;
  readonly high: number;
  readonly middle: number;
}

/** The one scale of all bars: from `low` to `high` (s) in `columns` places. */
export interface Axis {
  readonly low: number;
  readonly high: number;
  readonly columns: number;
}

/** Share of the span that stays free at each end, so that the ends of intervals are visible. */
const margin = 0.06;

/** The axis may grow to so many times the span of the voters to show another source; one farther away gets an arrow. */
const reach = 2.5;

/** Seconds: the least span, for intervals without any width. */
const leastSpan = 1e-6;

/** null where the source has no figures. */
export function intervalOf({ offset_seconds, uncertainty_seconds }: TimeSource): Interval | null {
  if (offset_seconds === null || !Number.isFinite(offset_seconds)) return null;
  const reached = Math.abs(uncertainty_seconds ?? 0);
  const width = Number.isFinite(reached) ? reached : 0;
  return { low: offset_seconds - width, high: offset_seconds + width, middle: offset_seconds };
}

/** True of a source that agrees with others, or may yet. */
function isVoting({ state }: TimeSource): boolean {
  return state === "selected" || state === "candidate" || state === "outlier";
}

/** The overlap of all sources that agree; null where there is none. */
export function agreedZone(sources: readonly TimeSource[]): Interval | null {
  if (!sources.some(({ state }) => state === "selected")) return null;
  const agreeing = sources.filter(isVoting).flatMap((source) => intervalOf(source) ?? []);
  if (agreeing.length === 0) return null;
  const low = Math.max(...agreeing.map((one) => one.low));
  const high = Math.min(...agreeing.map((one) => one.high));
  return low <= high ? { low, high, middle: (low + high) / 2 } : null;
}

/** Shows the sources that vote, or all where none does; others, and this clock itself (0), where they are near enough. */
export function axisOf(sources: readonly TimeSource[], columns: number): Axis | null {
  const all = sources.flatMap((source) => intervalOf(source) ?? []);
  const voting = sources.filter(isVoting).flatMap((source) => intervalOf(source) ?? []);
  const [first, ...others] = voting.length > 0 ? voting : all;
  if (first === undefined) return null;
  const core = others.reduce(spanning, { low: first.low, high: first.high });
  const longest = reach * Math.max(leastSpan, core.high - core.low);
  const zero = { low: 0, high: 0 };
  const shown = [zero, ...all].reduce((range, one) => {
    const wider = spanning(range, one);
    return wider.high - wider.low <= longest ? wider : range;
  }, core);
  // The ends of a narrow interval far from zero may be the same double.
  const span = Math.max(leastSpan, shown.high - shown.low, Math.abs(shown.high) * 1e-12);
  const centre = (shown.low + shown.high) / 2;
  const half = span * (0.5 + margin);
  return { low: centre - half, high: centre + half, columns };
}

/** The place of an offset on the axis, from 0; beyond its ends negative or at least `columns`. */
export function columnOf({ low, high, columns }: Axis, seconds: number): number {
  return Math.round(((seconds - low) / (high - low)) * (columns - 1));
}

function spanning(one: Range, other: Range): Range {
  return { low: Math.min(one.low, other.low), high: Math.max(one.high, other.high) };
}

type Range = Pick<Interval, "low" | "high">;
