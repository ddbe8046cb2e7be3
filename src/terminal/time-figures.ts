interface Unit {
  readonly name: string;
  readonly seconds: number;
}

const microsecond: Unit = { name: "us", seconds: 1e-6 };
const second: Unit = { name: "s", seconds: 1 };

/** The largest first; each is used from `from` on, so that figures have one to four digits before the point. */
const units: readonly (Unit & { readonly from: number })[] = [
  { name: "y", seconds: 365.25 * 86_400, from: 2 * 365.25 * 86_400 },
  { name: "d", seconds: 86_400, from: 2 * 86_400 },
  { name: "h", seconds: 3_600, from: 2 * 3_600 },
  { ...second, from: 1 },
  { name: "ms", seconds: 1e-3, from: 1e-3 },
];

/** Significant digits of a figure: a fourth would not help a reader. */
const significantDigits = 3;

/** Years beyond this are shown as "more than": such a figure is broken. */
const mostFigure = 9_999;

/** Share of the unit below which the ends of an axis are distinguished in seconds rather than in years or days. */
const finestShare = 1e-3;

/** `12.3 us`, `8.10 ms`, `3.00 s`, `9.90 y`: a length of time without its sign, in ASCII. */
export function formatSpan(seconds: number): string {
  const amount = Math.abs(seconds);
  // A figure that is rounded up to the next unit is shown in that unit.
  const rounded = Number(amount.toPrecision(significantDigits));
  const unit = unitOf(rounded);
  const figure = amount / unit.seconds;
  if (figure > mostFigure) return `>${mostFigure} ${unit.name}`;
  return `${fixed(figure, decimalsOf(figure))} ${unit.name}`;
}

/** The same with its sign: positive is a host that is behind. */
export function formatOffset(seconds: number): string {
  return `${seconds < 0 ? "-" : "+"}${formatSpan(seconds)}`;
}

/** `3.00 s behind`, `12.3 us ahead`. */
export function formatLag(offsetSeconds: number): string {
  return `${formatSpan(offsetSeconds)} ${offsetSeconds < 0 ? "ahead" : "behind"}`;
}

/** Places on an axis from `low` to `high` (s), all in one unit and with the decimals that tell its ends apart. */
export function axisLabels(low: number, high: number): (seconds: number) => string {
  const span = high - low;
  const natural = unitOf(Math.max(Math.abs(low), Math.abs(high)));
  const unit = natural.seconds > 1 && span / natural.seconds < finestShare ? second : natural;
  const decimals = Math.max(0, Math.min(9, 2 - Math.floor(Math.log10(span / unit.seconds))));
  return (seconds) => {
    const text = fixed(Math.abs(seconds) / unit.seconds, decimals);
    const sign = Number(text) === 0 ? "" : seconds < 0 ? "-" : "+";
    return `${sign}${text} ${unit.name}`;
  };
}

function unitOf(seconds: number): Unit {
  return units.find(({ from }) => seconds >= from) ?? microsecond;
}

function decimalsOf(figure: number): number {
  if (figure === 0) return 0;
  return Math.max(0, Math.min(3, significantDigits - 1 - Math.floor(Math.log10(figure))));
}

function fixed(figure: number, decimals: number): string {
  return figure.toFixed(decimals);
}
