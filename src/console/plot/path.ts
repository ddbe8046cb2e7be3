import { placeOf, type Range } from "../../contract/clock/source-intervals.ts";

/** A figure at a time, in milliseconds since 1970. */
export interface Point {
  readonly at: number;
  readonly value: number;
}

/** A range at a time, in milliseconds since 1970. */
export interface Band extends Range {
  readonly at: number;
}

/** The ends of a plot: from the earlier time to the later, and from the lower figure to the higher. */
export interface Ends {
  readonly time: Range;
  readonly axis: Range;
}

/** The axis of what has no figures. */
export const whole = { low: 0, high: 1 } as const;

/** A line over all of that axis. */
export const upright = (at: number): (Point | null)[] => [{ at, value: 0 }, { at, value: 1 }, null];

/** An area over all of that axis. */
export const block = ({ low, high }: Range): (Band | null)[] => [
  ...[low, high].map((at) => ({ at, ...whole })),
  null,
];

/** A line as SVG takes it, in a field of 1000 × 100 whose upper end is the axis's high end. null: a gap. */
export function linePath(points: readonly (Point | null)[], ends: Ends): string {
  return pathOf(points, (run) => {
    // A line of one point has no length, and is a dot by its round ends.
    return `M${run.map(({ at, value }) => place(at, value, ends)).join(" ")}${run.length === 1 ? "h0" : ""}`;
  });
}

/** An area as SVG takes it, in the same field. */
export function bandPath(bands: readonly (Band | null)[], ends: Ends): string {
  return pathOf(bands, (run) => {
    const upper = run.map(({ at, high }) => place(at, high, ends));
    const lower = run.map(({ at, low }) => place(at, low, ends)).reverse();
    return `M${[...upper, ...lower].join(" ")}Z`;
  });
}

function pathOf<T>(points: readonly (T | null)[], draw: (run: readonly T[]) => string): string {
  const runs: T[][] = [[]];
  for (const point of points) {
    if (point === null) runs.push([]);
    else runs.at(-1)?.push(point);
  }
  return runs.map((run) => (run.length > 0 ? draw(run) : "")).join("");
}

function place(at: number, value: number, { time, axis }: Ends): string {
  // A point beyond an end is drawn at it, so that one sees how long it was beyond.
  const within = (share: number) => Math.min(1, Math.max(0, share));
  const [x, y] = [within(placeOf(time, at)), within(1 - placeOf(axis, value))];
  return `${(x * 1_000).toFixed(1)},${(y * 100).toFixed(2)}`;
}

/** A share as SVG takes it. */
export function percent(share: number): string {
  return `${(share * 100).toFixed(2)}%`;
}
