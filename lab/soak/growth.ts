interface Reading {
  readonly atSeconds: number;
  readonly value: number;
}

/**
 * The growth an hour that is certain: the lesser one from the first third of the readings to the second, and from there to
 * the last. A leak goes on, and what comes and goes does not. Of each third the least counts, since a heap that is to be
 * collected is no leak.
 */
export function growthOf(readings: readonly Reading[]): number {
  const third = Math.floor(readings.length / 3);
  const least = [0, 1, 2].map((part) =>
    Math.min(...readings.slice(part * third, (part + 1) * third).map(({ value }) => value)),
  );
  const hours = ((readings[2 * third]?.atSeconds ?? 0) - (readings[third]?.atSeconds ?? 0)) / 3_600;
  const [first = 0, middle = 0, last = 0] = least;
  return Math.min(middle - first, last - middle) / hours;
}
