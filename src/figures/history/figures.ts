import type { historySeriesNames } from "../../contract/figures/history.ts";

/** The figures of one moment or of one step; null: not known. */
export type Figures = Readonly<Record<HistorySeriesName, number | null>>;
export type HistorySeriesName = (typeof historySeriesNames)[number];

/** The way in which a figure is kept in 16 bits, and the order of two by which one is the worse. */
type Form = ReturnType<typeof fixed>;

/** The bits of a figure that is not known: no figure has them. */
export const unknownBits = -32_768;
const mostBits = 32_767;

/** The form of a figure with fixed decimals; a figure beyond its range is kept as the last within. */
function fixed(perUnit: number) {
  return {
    toBits: (figure: number): number => bounded(figure * perUnit),
    toFigure: (bits: number): number => bits / perUnit,
    isWorse: (figure: number, than: number): boolean => figure > than,
  };
}

/** Seconds below which differences of a clock are lost, and the greatest that differs from greater ones: 31 years. */
const finestSeconds = 1e-7;
const greatestSeconds = 1e9;
const bitsPerFold = mostBits / Math.asinh(greatestSeconds / finestSeconds);

/**
 * The form of seconds of a clock, from below a microsecond to years and of either sign, to three digits: the inverse hyperbolic sine is
 * linear about zero and a logarithm beyond. Either sign of an error is as bad as the other.
 */
const clockSeconds: Form = {
  toBits: (seconds) => bounded(Math.asinh(seconds / finestSeconds) * bitsPerFold),
  toFigure: (bits) => Number((Math.sinh(bits / bitsPerFold) * finestSeconds).toPrecision(3)),
  isWorse: (seconds, than) => Math.abs(seconds) > Math.abs(than),
};

export const forms: Readonly<Record<HistorySeriesName, Form>> = {
  clock_offset_seconds: clockSeconds,
  clock_uncertainty_seconds: clockSeconds,
  disk_used_ratio: fixed(10_000),
  memory_used_ratio: fixed(10_000),
  load: fixed(100),
  temperature_celsius: fixed(10),
};

/** Null: there is none. */
export function meanOf(figures: readonly number[]): number | null {
  return figures.length === 0 ? null : figures.reduce((sum, figure) => sum + figure) / figures.length;
}

/** Null: there is none. */
export function worstOf(name: HistorySeriesName, figures: readonly number[]): number | null {
  const { isWorse } = forms[name];
  return figures.length === 0 ? null : figures.reduce((most, one) => (isWorse(one, most) ? one : most));
}

function bounded(bits: number): number {
  return Math.max(-mostBits, Math.min(mostBits, Math.round(bits)));
}
