const microsecond = { name: "us", seconds: 1e-6 };

/** The largest first; each is used from `from` on, so that figures have one to four digits before the point. */
const units = [
  { name: "y", seconds: 365.25 * 86_400, from: 2 * 365.25 * 86_400 },
  { name: "d", seconds: 86_400, from: 2 * 86_400 },
  { name: "h", seconds: 3_600, from: 2 * 3_600 },
  { name: "s", seconds: 1, from: 1 },
  { name: "ms", seconds: 1e-3, from: 1e-3 },
];

/** Significant digits of a figure: a fourth would not help a reader. */
const significantDigits = 3;

/** Years beyond this are shown as "more than": such a figure is broken. */
const mostFigure = 9_999;

/** `12.3 us`, `8.10 ms`, `3.00 s`, `9.90 y`: a length of time without its sign, in ASCII. */
export function formatSpan(seconds: number): string {
  const amount = Math.abs(seconds);
  // A figure that is rounded up to the next unit is shown in that unit.
  const rounded = Number(amount.toPrecision(significantDigits));
  const unit = units.find(({ from }) => rounded >= from) ?? microsecond;
  const figure = amount / unit.seconds;
  if (figure > mostFigure) return `>${mostFigure} ${unit.name}`;
  return `${figure.toFixed(decimalsOf(figure))} ${unit.name}`;
}

/** The same with its sign: positive is a host that is behind. */
export function formatOffset(seconds: number): string {
  return `${seconds < 0 ? "-" : "+"}${formatSpan(seconds)}`;
}

/** `3.00 s behind`, `12.3 us ahead`. */
export function formatLag(offsetSeconds: number): string {
  return `${formatSpan(offsetSeconds)} ${offsetSeconds < 0 ? "ahead" : "behind"}`;
}

function decimalsOf(figure: number): number {
  if (figure === 0) return 0;
  return Math.max(0, Math.min(3, significantDigits - 1 - Math.floor(Math.log10(figure))));
}
