import { median } from "../basics/quantile.ts";

/**
 * One line of the table: medians in the unit, and the ratio against its bound. The ratio is the median of
 * the ratios of the single turns: what disturbs a shared machine for seconds disturbs both sides of a turn.
 */
export interface Row {
  what: string;
  unit: string;
  value: number;
  peer: number;
  ratio: number;
  /** Empty: printed for what it is worth. */
  bound: string;
  isWithin: boolean;
}

/** One bound of a ratio. */
export interface Bound {
  readonly side: "most" | "least";
  readonly value: number;
}

/** A row of two series of measurements, taken in turns. */
export function ratioRow(what: string, unit: string, [own, peer]: Series, bound?: Bound): Row {
  const ratio = median(own.map((one, turn) => one / (peer[turn] ?? Number.NaN)));
  const isWithin = !bound || (bound.side === "most" ? ratio <= bound.value : ratio >= bound.value);
  return {
    ...{ what, unit, value: median(own), peer: median(peer), ratio, isWithin },
    bound: bound ? `${bound.side === "most" ? "≤" : "≥"} ${bound.value.toFixed(2)}` : "",
  };
}

/** The measurements of steward, and those of its peer. */
export type Series = readonly [own: number[], peer: number[]];

/** A row whose bound is on the value itself. */
export function valueRow(
  what: string,
  unit: string,
  [value, peer]: readonly [number, number],
  most: number,
): Row {
  return {
    what,
    unit,
    value,
    peer,
    ratio: value / peer,
    bound: `≤ ${most} ${unit}`,
    isWithin: value <= most,
  };
}
