/** One past measurement. */
export interface HistoryPoint {
  readonly atMonotonic: number;
  readonly offsetSeconds: number;
  readonly uncertaintySeconds: number;
}

/** The last measurements of the host's offset. */
export interface History {
  add(point: HistoryPoint): void;
  /** Oldest first. */
  points(): readonly HistoryPoint[];
}

/** Points kept: three hours at 64 s, two days at 1024 s. */
const kept = 180;

export function createHistory(): History {
  let points: readonly HistoryPoint[] = [];
  return {
    add: (point) => {
      points = [...points, point].slice(-kept);
    },
    points: () => points,
  };
}
