import { type Range, withMargin } from "../../contract/clock/source-intervals.ts";

/** The one scale of a picture: both ends are multiples of `step`, in the unit of its figures. */
export interface Axis extends Range {
  readonly step: number;
}

/** Share of the span that is left free at each end, so that an interval's end is seen. */
const margin = 0.04;

/** Parts that an axis has about. */
const parts = 4;

/** An axis that values no longer fill is kept until it is as many times too wide. */
const tooWide = 4;

/** The axis that was there before, as long as it shows all that must be seen and is not too wide; else a new one. */
export function keepAxis(before: Axis | null, needed: Range): Axis {
  const next = axisFor(needed);
  if (before === null || needed.low < before.low || needed.high > before.high) return next;
  return before.high - before.low > tooWide * (next.high - next.low) ? next : before;
}

/** An axis with round ends that shows all of the range. */
export function axisFor(range: Range): Axis {
  const { low, high } = withMargin(range, margin);
  const step = roundUp((high - low) / parts);
  return { low: Math.floor(low / step) * step, high: Math.ceil(high / step) * step, step };
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
