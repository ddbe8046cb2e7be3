/** Durations, counted by upper bounds. */
export type Histogram = ReturnType<typeof createHistogram>;

export interface HistogramReading {
  /** Observations of at most each bound; the last is that of all of them. */
  readonly cumulative: readonly { readonly bound: number; readonly count: number }[];
  readonly sum: number;
}

/** `bounds` in seconds, ascending, without the infinite one. */
export function createHistogram(bounds: readonly number[]) {
  const counts = new Array<number>(bounds.length + 1).fill(0);
  let sum = 0;
  /** Kept until the next observation. */
  let reading: HistogramReading | undefined;
  return {
    observe: (seconds: number): void => {
      reading = undefined;
      let index = 0;
      while (index < bounds.length && seconds > (bounds[index] ?? 0)) index += 1;
      counts[index] = (counts[index] ?? 0) + 1;
      sum += seconds;
    },
    read: (): HistogramReading => {
      reading ??= { cumulative: cumulated(bounds, counts), sum };
      return reading;
    },
  };
}

function cumulated(bounds: readonly number[], counts: readonly number[]): HistogramReading["cumulative"] {
  let count = 0;
  return [...bounds, Number.POSITIVE_INFINITY].map((bound, index) => {
    count += counts[index] ?? 0;
    return { bound, count };
  });
}
