export interface HistoryPoint {
  readonly atMonotonic: number;
  readonly offsetSeconds: number;
  readonly uncertaintySeconds: number;
}

/** The last measurements of the host's offset. */
export type History = ReturnType<typeof createHistory>;

/** Points kept: three hours at 64 s, two days at 1024 s. */
const kept = 180;

export function createHistory() {
  let points: readonly HistoryPoint[] = [];
  return {
    add: (point: HistoryPoint): void => {
      points = [...points, point].slice(-kept);
    },
    /** Oldest first. */
    points: (): readonly HistoryPoint[] => points,
  };
}
