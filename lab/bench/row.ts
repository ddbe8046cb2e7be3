import { median } from "../basics/quantile.ts";

/**
 * One line of the table: medians in the unit, and the ratio against its bound. The ratio is the median of
 * the ratios of the single turns: what disturbs a shared machine for seconds disturbs both sides of a turn.
 */
export interface Row {
  readonly what: string;
  readonly unit: string;
  readonly value: number;
  readonly peer: number;
  readonly ratio: number;
  /** Empty: printed for what it is worth. */
  readonly bound: string;
  readonly isWithin: boolean;
}

/** The measurements of steward, and those of its peer. */
export type Series = readonly [own: number[], peer: number[]];

/** A row of two series of measurements, taken in turns, with a bound of the ratio such as `≤ 1.22`. */
export function ratioRow(what: string, unit: string, [own, peer]: Series, bound = ""): Row {
  const ratio = median(own.map((one, turn) => one / (peer[turn] ?? Number.NaN)));
  const [side, limit = Number.NaN] = [bound[0], Number(bound.slice(2))];
  const isWithin = bound === "" || (side === "≤" ? ratio <= limit : ratio >= limit);
  return { what, unit, value: median(own), peer: median(peer), ratio, bound, isWithin };
}

/** A row whose bound is on the value itself. */
export function valueRow(what: string, unit: string, both: readonly [number, number], most: number): Row {
  const [value, peer] = both;
  const [bound, isWithin] = [`≤ ${most} ${unit}`, value <= most];
  return { what, unit, value, peer, ratio: value / peer, bound, isWithin };
}
