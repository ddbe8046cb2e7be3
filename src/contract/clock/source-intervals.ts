import type { TimeSource } from "../types.ts";

/** Offsets in seconds; positive: this host is behind. */
export interface Range {
  readonly low: number;
  readonly high: number;
}

/** The interval of the true offset by one source; `low` and `high` are equal where it does not say how sure it is. */
export interface Interval extends Range {
  readonly middle: number;
}

/** A range may grow to so many times its span to show one more; what is farther away gets an arrow. */
const reach = 2.5;

/** Seconds: the least span, for intervals without any width. */
const leastSpan = 1e-6;

/** null where the source has no figures. */
export function intervalOf({ offset_seconds, uncertainty_seconds }: TimeSource): Interval | null {
  if (offset_seconds === null || !Number.isFinite(offset_seconds)) return null;
  const size = Math.abs(uncertainty_seconds ?? 0);
  const width = Number.isFinite(size) ? size : 0;
  return { low: offset_seconds - width, high: offset_seconds + width, middle: offset_seconds };
}

/** True of a source that agrees with others, or may yet. */
export function isVoting({ state }: Pick<TimeSource, "state">): boolean {
  return state === "selected" || state === "candidate" || state === "outlier";
}

/** The overlap of all sources that agree; null where there is none, or none is chosen. */
export function agreedOverlap(sources: readonly TimeSource[]): Range | null {
  if (!sources.some(({ state }) => state === "selected")) return null;
  const agreeing = sources.filter(isVoting).flatMap((source) => intervalOf(source) ?? []);
  if (agreeing.length === 0) return null;
  const low = Math.max(...agreeing.map((one) => one.low));
  const high = Math.min(...agreeing.map((one) => one.high));
  return low <= high ? { low, high } : null;
}

/** The range to show: all of `core`, and those of `others` that are not too far from it. null: there are none. */
export function neededRange(core: readonly Range[], others: readonly Range[]): Range | null {
  const [first, ...rest] = core;
  if (first === undefined) return null;
  const inner = rest.reduce(spanning, { low: first.low, high: first.high });
  const longest = reach * Math.max(leastSpan, inner.high - inner.low);
  return others.reduce((range, one) => {
    const wider = spanning(range, one);
    return wider.high - wider.low <= longest ? wider : range;
  }, inner);
}

/** The range for a picture of the sources: those that vote, or all where none does, and near ones and this host (0). */
export function rangeOfSources(sources: readonly TimeSource[]): Range | null {
  const all = sources.flatMap((source) => intervalOf(source) ?? []);
  const voting = sources.filter(isVoting).flatMap((source) => intervalOf(source) ?? []);
  return neededRange(voting.length > 0 ? voting : all, [{ low: 0, high: 0 }, ...all]);
}

/** The range with a share of its span free at each end, so that the ends of intervals are visible. */
export function withMargin({ low, high }: Range, margin: number): Range {
  // The ends of a narrow interval far from zero may be the same double.
  const span = Math.max(leastSpan, high - low, Math.abs(high) * 1e-12);
  const centre = (low + high) / 2;
  const half = span * (0.5 + margin);
  return { low: centre - half, high: centre + half };
}

/** Share of the range from its low end; below 0 and above 1 where it is beyond. */
export function placeOf({ low, high }: Range, seconds: number): number {
  return (seconds - low) / (high - low);
}

function spanning(one: Range, other: Range): Range {
  return { low: Math.min(one.low, other.low), high: Math.max(one.high, other.high) };
}
