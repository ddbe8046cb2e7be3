/** A value and when it was read. */
export interface Reading {
  readonly atSeconds: number;
  readonly value: number;
}

/** The change of a value with time, by least squares. */
export interface Slope {
  readonly perHour: number;
  /** Half of the 95 % confidence interval. */
  readonly plusMinus: number;
  /** The end of the line. */
  readonly last: number;
}

/**
 * Readings that follow each other closely are alike, so that each says less than it seems to, and a heap that is to be
 * collected is no leak: the line is drawn through the least reading of each of so many spans of time.
 */
const spans = 20;

/** Student's t for 95 %, two-sided, by degrees of freedom (NIST/SEMATECH e-Handbook, table 1.3.6.7.2). */
const studentT: Readonly<Record<number, number>> = {
  ...{ 1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306, 9: 2.262, 10: 2.228 },
  ...{ 11: 2.201, 12: 2.179, 13: 2.16, 14: 2.145, 15: 2.131, 16: 2.12, 17: 2.11, 18: 2.101 },
};

/** The slope of at least three readings; of the least of each span where there are many. Throws a RangeError for fewer. */
export function slopeOf(readings: readonly Reading[]): Slope {
  const points = readings.length > spans ? leastOf(readings) : readings;
  const freedom = points.length - 2;
  if (freedom < 1) throw new RangeError("a slope takes three readings");
  const mean = (pick: (point: Reading) => number) =>
    points.reduce((sum, one) => sum + pick(one), 0) / points.length;
  const [atMean, valueMean] = [mean(({ atSeconds }) => atSeconds), mean(({ value }) => value)];
  const spread = points.reduce((sum, { atSeconds }) => sum + (atSeconds - atMean) ** 2, 0);
  const common = points.reduce(
    (sum, { atSeconds, value }) => sum + (atSeconds - atMean) * (value - valueMean),
    0,
  );
  const slope = common / spread;
  const at = (seconds: number) => valueMean + slope * (seconds - atMean);
  const residual = points.reduce((sum, { atSeconds, value }) => sum + (value - at(atSeconds)) ** 2, 0);
  const error = Math.sqrt(residual / freedom / spread);
  return {
    perHour: slope * 3_600,
    plusMinus: error * (studentT[freedom] ?? 1.96) * 3_600,
    last: at(points.at(-1)?.atSeconds ?? 0),
  };
}

function leastOf(readings: readonly Reading[]): Reading[] {
  const size = readings.length / spans;
  return Array.from({ length: spans }, (_, index) => {
    const some = readings.slice(Math.floor(index * size), Math.floor((index + 1) * size));
    return some.reduce((least, one) => (one.value < least.value ? one : least));
  });
}
