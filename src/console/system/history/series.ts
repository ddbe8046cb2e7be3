import { neededRange, type Range } from "../../../contract/clock/source-intervals.ts";
import type { History } from "../../../contract/types.ts";
import { type Axis, axisFor } from "../../plot/axis.ts";
import { type Band, block, type Ends, type Point } from "../../plot/path.ts";

/** A figure of each step; null: not known. */
type Figures = readonly (number | null)[];

export type Steps = ReturnType<typeof stepsOf>;

const plots = {
  clock: "clock_offset_seconds",
  disk: "disk_used_ratio",
  memory: "memory_used_ratio",
  load: "load",
  temperature: "temperature_celsius",
} as const;

export type PlotName = keyof typeof plots;

export interface Series {
  readonly name: PlotName;
  readonly mean: Figures;
  readonly worst: Figures;
  /** By how much the mean may be wrong, in its unit; null: the figures are exact. */
  readonly uncertainty: Figures | null;
}

/** As many of the steps have their band within the axis of the clock, whatever the others are. */
const usualShare = 0.96;

/** A history from its first reading on, since a young device has no days before; without any, its last step. */
export function inLife({ start, step_seconds, series }: History): History {
  const all = Object.entries(series);
  const { mean: steps } = series.load;
  const first = steps.findIndex((_, step) => all.some(([, { mean }]) => mean[step] !== null));
  // With -1, that is the last one.
  const life = ({ mean, worst }: History["series"]["load"]) => ({
    mean: mean.slice(first),
    worst: worst.slice(first),
  });
  const before = steps.length - steps.slice(first).length;
  return {
    start: new Date(Date.parse(start) + before * step_seconds * 1_000).toISOString(),
    step_seconds,
    // One for each name.
    series: Object.fromEntries(all.map(([name, one]) => [name, life(one)])) as History["series"],
  };
}

/** The steps of a history: milliseconds since 1970 of the first one's begin, and of each one's length. */
export function stepsOf({ start, step_seconds, series }: History) {
  return { start: Date.parse(start), length: step_seconds * 1_000, count: series.load.mean.length };
}

/** The plots without those that have no figure at all. */
export function seriesOf({ series }: History): readonly Series[] {
  const uncertaintyOf = (name: PlotName) => (name === "clock" ? series.clock_uncertainty_seconds.mean : null);
  return (Object.keys(plots) as PlotName[])
    .map((name) => ({ name, ...series[plots[name]], uncertainty: uncertaintyOf(name) }))
    .filter(({ mean }) => mean.some((figure) => figure !== null));
}

/** From the first step to the end of the one that is not over yet, so that what happens now has its place. */
export function timeOf({ start, length, count }: Steps): Ends["time"] {
  return { low: start, high: start + (count + 1) * length };
}

export function middleOf({ start, length }: Steps, step: number): number {
  return start + (step + 0.5) * length;
}

/** The step that a time is in, or the nearest to it. */
export function stepAt({ start, length, count }: Steps, at: number): number {
  return Math.min(count - 1, Math.max(0, Math.floor((at - start) / length)));
}

export function pointsOf(figures: Figures, steps: Steps): (Point | null)[] {
  return figures.map((value, step) => (value === null ? null : { at: middleOf(steps, step), value }));
}

/** The range that holds the true figure at each step; none where the figures are exact. */
export function bandsOf({ mean, uncertainty }: Series, steps: Steps): (Band | null)[] {
  return pointsOf(mean, steps).map((point, step) => {
    const size = uncertainty?.[step] ?? null;
    if (point === null || size === null) return null;
    return { at: point.at, low: point.value - size, high: point.value + size };
  });
}

/** A share has all of its scale; a load begins at zero; of a clock, steps of a few hours may be beyond it. */
export function axisOf(series: Series): Axis {
  if (series.name === "disk" || series.name === "memory") return { low: 0, high: 1, step: 0.25 };
  if (series.name === "clock") return axisOfClock(series);
  const known = knownOf([...series.mean, ...series.worst]);
  const [least, most] = [Math.min(...known), Math.max(...known)];
  if (series.name === "temperature") return axisFor({ low: least, high: most });
  return { ...axisFor({ low: 0, high: Math.max(most, 0.1) }), low: 0 };
}

function axisOfClock({ mean, worst, uncertainty }: Series): Axis {
  const usual = mean.flatMap((offset, step) => {
    const size = uncertainty?.[step] ?? 0;
    return offset === null ? [] : [{ low: offset - size, high: offset + size }];
  });
  const reachOf = ({ low, high }: Range): number => Math.max(-low, high);
  const bySize = usual.toSorted((one, other) => reachOf(one) - reachOf(other));
  const core = bySize.slice(0, Math.ceil(bySize.length * usualShare));
  const others = knownOf(worst).map((offset) => ({ low: offset, high: offset }));
  return axisFor(neededRange(core, [{ low: 0, high: 0 }, ...bySize, ...others]) ?? { low: 0, high: 0 });
}

function knownOf(figures: Figures): number[] {
  return figures.filter((figure) => figure !== null);
}

/** The step with the worst figure, the first of equals. A clock that is ahead is as wrong as one that is behind. */
export function worstStep({ worst }: Pick<Series, "worst">): number {
  const sizes = worst.map((figure) => (figure === null ? Number.NEGATIVE_INFINITY : Math.abs(figure)));
  return sizes.indexOf(sizes.reduce((most, size) => Math.max(most, size)));
}

/** Times without any figure, as areas: the device was off. */
export function gapsOf(all: readonly Series[], { start, length, count }: Steps): (Band | null)[] {
  return Array.from({ length: count }, (_, step) => start + step * length).flatMap((low, step) =>
    all.some(({ mean }) => mean[step] !== null) ? [null] : block({ low, high: low + length }).slice(0, 2),
  );
}

/** The figures of some steps in one: the mean of means, and the worst. null: none is known. */
export function summaryOf(series: Series, from: number, to: number) {
  const meanOf = (figures: Figures): number | null => {
    const known = knownOf(figures.slice(from, to));
    return known.length === 0 ? null : known.reduce((sum, figure) => sum + figure) / known.length;
  };
  const worst = series.worst.slice(from, to);
  return {
    mean: meanOf(series.mean),
    worst: worst[worstStep({ worst })] ?? null,
    uncertainty: series.uncertainty && meanOf(series.uncertainty),
  };
}
