/** Days that a rise must have been seen for. */
const leastDays = 3;

/** A forecast reaches so many times as far as what was seen. */
const reach = 4;

/** The share of the steps that have a figure. */
const leastKnown = 0.5;

/** The share of the scatter that a straight line explains: R², of least squares. One step up in the middle has 0.75. */
const leastExplained = 0.9;

/** The slope of each half over that of the whole. */
const leastOfSlope = 2 / 3;

/** In days from the first step. */
type Reading = Readonly<Record<"x" | "y", number>>;

/**
 * Days until a share that rises reaches 1, at least one; null: nothing supports a forecast. The rise must be steady: over
 * days, near a straight line as a whole, and about as steep in the first half of the time as in the second. So one large
 * file, a directory that was emptied, and a rise that has begun only now have none. `shares`: one a step; null: not known.
 */
export function daysUntilFull(shares: readonly (number | null)[], stepSeconds: number): number | null {
  const stepDays = stepSeconds / 86_400;
  const readings = shares.flatMap((y, step) => (y === null ? [] : [{ x: step * stepDays, y }]));
  const [first, last] = [readings[0], readings.at(-1)];
  if (first === undefined || last === undefined) return null;
  const span = last.x - first.x;
  if (span < leastDays || readings.length < leastKnown * (span / stepDays + 1)) return null;
  const { slope, explained } = lineThrough(readings);
  const middle = first.x + span / 2;
  const halves = [readings.filter(({ x }) => x < middle), readings.filter(({ x }) => x >= middle)];
  const isSteady = halves.every((half) => lineThrough(half).slope >= leastOfSlope * slope);
  const days = (1 - last.y) / slope;
  // A comparison with what is no number is false: a half without two readings has no slope.
  if (!(isSteady && explained >= leastExplained && days > 0 && days <= reach * span)) return null;
  return Math.max(1, Math.round(days));
}

/** The straight line of least squares: its rise a day, and the share of the scatter that it explains. */
function lineThrough(readings: readonly Reading[]): { readonly slope: number; readonly explained: number } {
  const meanOf = (figure: (reading: Reading) => number) =>
    readings.reduce((sum, reading) => sum + figure(reading), 0) / readings.length;
  const [x, y] = [meanOf((one) => one.x), meanOf((one) => one.y)];
  const [xx, yy] = [meanOf((one) => (one.x - x) ** 2), meanOf((one) => (one.y - y) ** 2)];
  const xy = meanOf((one) => (one.x - x) * (one.y - y));
  return { slope: xy / xx, explained: xy ** 2 / (xx * yy) };
}
