/** Durations, counted by upper bounds. */
export interface Histogram {
  observe(seconds: number): void;
  read(): HistogramReading;
}

export interface HistogramReading {
  /** Observations of at most each bound; the last is that of all of them. */
  readonly cumulative: readonly { readonly bound: number; readonly count: number }[];
  readonly sum: number;
}

/** `bounds` in seconds, ascending, without the infinite one. */
export function createHistogram(bounds: readonly number[]): Histogram {
  const counts = new Array<number>(bounds.length + 1).fill(0);
  let sum = 0;
  return {
    observe: (seconds) => {
      let index = 0;
      while (index < bounds.length && seconds > (bounds[index] ?? 0)) index += 1;
      counts[index] = (counts[index] ?? 0) + 1;
      sum += seconds;
    },
    read: () => {
      let count = 0;
      const cumulative = [...bounds, Number.POSITIVE_INFINITY].map((bound, index) => {
        count += counts[index] ?? 0;
        return { bound, count };
      });
      return { cumulative, sum };
    },
  };
}
