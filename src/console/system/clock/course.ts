import { neededRange, type Range } from "../../../contract/clock/source-intervals.ts";
import type { TimeSync } from "../../../contract/types.ts";

/** One measurement: milliseconds since 1970, and the offset then with its uncertainty in seconds. */
export interface CoursePoint {
  readonly at: number;
  readonly offset: number;
  readonly uncertainty: number;
}

/** The offset over the last hours, oldest first. */
export interface Course {
  readonly points: readonly CoursePoint[];
  /** Milliseconds since 1970 of its two ends. */
  readonly from: number;
  readonly until: number;
  /** Hours between them. */
  readonly hours: number;
  /** The last step, where it was made meanwhile; positive seconds: forward. */
  readonly step: { readonly at: number; readonly seconds: number } | null;
}

/** Hours that a course may be of: the least that holds all points is taken, so that it seldom changes. */
const lengths = [1, 3, 6, 12, 24, 48] as const;

const hourMilliseconds = 3_600_000;

export function courseOf({
  history,
  server_time,
  last_step,
}: Pick<TimeSync, "history" | "server_time" | "last_step">): Course {
  const until = Date.parse(server_time);
  const points = history.map(({ at, offset_seconds, uncertainty_seconds }) => ({
    at: Date.parse(at),
    offset: offset_seconds,
    uncertainty: uncertainty_seconds,
  }));
  const age = (until - (points[0]?.at ?? until)) / hourMilliseconds;
  const hours = lengths.find((length) => age <= length) ?? Math.ceil(age);
  const from = until - hours * hourMilliseconds;
  const steppedAt = last_step === null ? Number.NEGATIVE_INFINITY : Date.parse(last_step.at);
  const step = last_step && steppedAt >= from ? { at: steppedAt, seconds: last_step.seconds } : null;
  return { points, from, until, hours, step };
}

/** Milliseconds after a step in which the measurement that led to it may be stamped: it is noted when all is done. */
const noteMilliseconds = 1_000;

/** The points before the last step, and those after it: between them no clock has run. */
export function partsOf({ points, step }: Course): (readonly CoursePoint[])[] {
  if (step === null) return [points];
  const isBefore = ({ at }: CoursePoint): boolean => at < step.at + noteMilliseconds;
  return [points.filter(isBefore), points.filter((point) => !isBefore(point))];
}

/** The range to show: all offsets since the last step with the newest's uncertainty, zero, and others near them. */
export function rangeOfCourse(course: Course): Range | null {
  const recent = partsOf(course).findLast((part) => part.length > 0) ?? [];
  const newest = recent.at(-1);
  if (newest === undefined) return null;
  const core = [bandOf(newest), ...recent.map(({ offset }) => ({ low: offset, high: offset }))];
  return neededRange(core, [{ low: 0, high: 0 }, ...course.points.map(bandOf)]);
}

/** The range that holds the true offset. */
export function bandOf({ offset, uncertainty }: CoursePoint): Range {
  return { low: offset - uncertainty, high: offset + uncertainty };
}
