import { type Range, withMargin } from "../../contract/clock/source-intervals.ts";
import { figure, shortDuration, withUnit } from "../catalogue/formats.ts";

/** The one scale of a picture: both ends are multiples of `step`, in the unit of its figures. */
export interface Axis extends Range {
  readonly step: number;
}

/** Share of the span that is left free at each end, so that an interval's end is seen. */
const margin = 0.04;

/** Parts that an axis has about. */
const parts = 4;

/** An axis with round ends that shows all of the range. */
export function axisFor(range: Range): Axis {
  const { low, high } = withMargin(range, margin);
  const step = roundUp((high - low) / parts);
  return { low: Math.floor(low / step) * step, high: Math.ceil(high / step) * step, step };
}

/** The next of 1, 2 and 5 by powers of ten. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const factor = [1, 2, 5].find((one) => one * power >= value * (1 - 1e-9)) ?? 10;
  return factor * power;
}

/** The largest first; each is used from so many seconds on. */
const units = [
  { name: "d", seconds: 86_400, from: 2 * 86_400 },
  { name: "h", seconds: 3_600, from: 2 * 3_600 },
  { name: "s", seconds: 1, from: 1 },
  { name: "ms", seconds: 1e-3, from: 1e-3 },
  { name: "µs", seconds: 1e-6, from: 0 },
] as const;

/** A place on an axis, in the unit of all of it and with the digits that tell its parts apart: `+20 ms`. */
export function placeInWords({ low, high, step }: Axis, seconds: number): string {
  const size = Math.max(Math.abs(low), Math.abs(high));
  const { name, seconds: unit } = units.find(({ from }) => size >= from) ?? units[4];
  const digits = Math.min(12, Math.max(0, Math.ceil(-Math.log10(step / unit) - 1e-9)));
  const value = figure(Math.abs(seconds) / unit, digits);
  const sign = Math.abs(seconds) < step / 2 ? "" : seconds < 0 ? "−" : "+";
  return withUnit(`${sign}${value}`, name);
}

/** Words for an offset, with how far off it may be. */
export function withUncertainty(words: string, seconds: number | null): string {
  return seconds === null ? words : `${words}, ${withUnit("±", shortDuration(seconds))}`;
}
