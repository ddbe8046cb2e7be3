/** The value that a share of them (0 to 1) is below; NaN of none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? Number.NaN;
}

/** The middle one, the upper of two; NaN of none. */
export const median = (values: readonly number[]): number => quantile(values, 0.5);
