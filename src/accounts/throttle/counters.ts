import { clientWindow, type FailureCounter, windowEnd } from "./throttle-rules.ts";

/** Takes a count back as if it had never been made; counters that were cleared meanwhile stay cleared. */
export type Undo = () => void;

export interface FailureCountersOptions {
  limit: number;
  /** Seconds without a try after which a row is forgotten. */
  quietSeconds: number;
  /** The worth of keeping a row; without it all are equal. */
  rank?: (key: string, counter: FailureCounter, now: number) => number;
  /**
   * A new key in a full table takes over the row with the fewest failures (the "space-saving" algorithm of Metwally,
   * Agrawal and El Abbadi, 2005). A flood of other keys never shortens a row: a row may only be too long.
   */
  inherits?: boolean;
}

/** Rows of failures by key, bounded in their number. */
export function createFailureCounters(
  stored: Iterable<[string, FailureCounter]>,
  options: FailureCountersOptions,
) {
  const { limit, quietSeconds, rank = () => 0, inherits = false } = options;
  const counters = new Map(stored);
  const isQuiet = ({ at }: FailureCounter, now: number): boolean => now - at >= quietSeconds;
  const get = (key: string, now: number): FailureCounter | undefined => {
    const counter = counters.get(key);
    return counter && !isQuiet(counter, now) ? counter : undefined;
  };
  const makePlace = (now: number): FailureCounter | undefined => {
    const place = fewest(counters, (counter) => isQuiet(counter, now));
    if (place) counters.delete(place.key);
    return place?.counter;
  };
  return {
    get,
    count: (key: string, now: number): Undo => {
      const isOneTooMany = inherits && !counters.has(key) && counters.size >= limit;
      const before = isOneTooMany ? makePlace(now) : get(key, now);
      // Deleted first, because a Map orders its keys by insertion: the last touched is the last.
      counters.delete(key);
      counters.set(key, { failures: (before?.failures ?? 0) + 1, at: now });
      return () => takeBack(counters, key, before, now);
    },
    /** Drops the surplus: the lowest rank first, and of equal ranks the one untouched the longest. */
    trim: (now: number): void => dropSurplus(counters, limit, (key, counter) => rank(key, counter, now)),
    clear: (isMeant: (key: string) => boolean): void => {
      for (const key of counters.keys()) if (isMeant(key)) counters.delete(key);
    },
    /** The rows that still count. */
    entries: (now: number): [string, FailureCounter][] =>
      [...counters].filter(([, counter]) => !isQuiet(counter, now)),
  };
}

export type SlidingWindows = ReturnType<typeof createSlidingWindows>;

export function createSlidingWindows(
  stored: Iterable<[string, readonly number[]]>,
  limit: number,
  size = clientWindow,
) {
  const windows = new Map(stored);
  const get = (client: string, now: number): readonly number[] =>
    (windows.get(client) ?? []).filter((at) => now < at + size.seconds);
  return {
    /** The time at which the oldest failure of a full window leaves it; minus infinity while there is room. */
    end: (client: string, now: number): number => windowEnd(get(client, now), size),
    count: (client: string, now: number): Undo => {
      const times = [...get(client, now), now];
      windows.delete(client);
      windows.set(client, times);
      return () => {
        const present = [...(windows.get(client) ?? [])];
        const index = present.lastIndexOf(now);
        if (index >= 0) present.splice(index, 1);
        if (present.length > 0) windows.set(client, present);
        else windows.delete(client);
      };
    },
    /** Drops the surplus: the longest untouched first, full ones last. */
    trim: (now: number): void =>
      dropSurplus(windows, limit, (_, times) => (now < windowEnd(times, size) ? 1 : 0)),
    clear: (client: string): void => void windows.delete(client),
    entries: (now: number): [string, readonly number[]][] =>
      [...windows.keys()]
        .map((client): [string, readonly number[]] => [client, get(client, now).slice(-size.failures)])
        .filter(([, times]) => times.length > 0),
  };
}

function takeBack(
  counters: Map<string, FailureCounter>,
  key: string,
  before: FailureCounter | undefined,
  countedAt: number,
): void {
  const present = counters.get(key);
  if (!present) return;
  const failures = present.failures - 1;
  if (failures === 0) counters.delete(key);
  // Restores the time too, unless another attempt was counted since; otherwise the delay before it would start over.
  else counters.set(key, { failures, at: present.at === countedAt && before ? before.at : present.at });
}

function fewest(
  counters: Map<string, FailureCounter>,
  isQuiet: (counter: FailureCounter) => boolean,
): { key: string; counter: FailureCounter | undefined } | undefined {
  let found: { key: string; counter: FailureCounter } | undefined;
  for (const [key, counter] of counters) {
    if (isQuiet(counter)) return { key, counter: undefined };
    if (!found || counter.failures < found.counter.failures) found = { key, counter };
  }
  return found;
}

/** Drops a sixteenth at once, so that a flood does not make each try search the table. */
function dropSurplus<V>(
  entries: Map<string, V>,
  limit: number,
  rankOf: (key: string, value: V) => number,
): void {
  if (entries.size <= limit) return;
  const ranked = [...entries].map(([key, value]) => ({ key, rank: rankOf(key, value) }));
  const kept = limit - Math.floor(limit / 16);
  // The sort is stable: of equal ranks the longest untouched is first, as in the Map.
  for (const { key } of ranked.sort((a, b) => a.rank - b.rank).slice(0, -kept)) entries.delete(key);
}
