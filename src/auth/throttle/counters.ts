import { sourceWindow, type Tally, windowEnd } from "./throttle-rules.ts";

/** Takes back what was counted, as if it had never been; what was cleared meanwhile stays cleared. */
export type Undo = () => void;

/** Rows of failures by key, bounded in their number. */
export interface Tallies {
  get(key: string, now: number): Tally | undefined;
  /** Counts a try as failed. */
  count(key: string, now: number): Undo;
  /** Drops what is too much: the lowest rank, and of these the longest untouched. */
  trim(now: number): void;
  clear(isMeant: (key: string) => boolean): void;
  /** Those that still mean something. */
  entries(now: number): [string, Tally][];
}

export interface TalliesOptions {
  limit: number;
  /** Seconds without a try after which a row is forgotten. */
  quietSeconds: number;
  /** What a row is worth keeping for; without it all are alike. */
  rank?: (key: string, tally: Tally, now: number) => number;
  /**
   * A new key in a full table takes over the row of the one with the fewest failures (the "space-saving" algorithm of
   * Metwally, Agrawal and El Abbadi, 2005). A flood of other keys then never lowers a row: it may only come out too long.
   */
  inherits?: boolean;
}

export function createTallies(stored: Iterable<[string, Tally]>, options: TalliesOptions): Tallies {
  const { limit, quietSeconds, rank = () => 0, inherits = false } = options;
  const tallies = new Map(stored);
  const isQuiet = ({ at }: Tally, now: number): boolean => now - at >= quietSeconds;
  const get = (key: string, now: number): Tally | undefined => {
    const tally = tallies.get(key);
    return tally && !isQuiet(tally, now) ? tally : undefined;
  };
  const makePlace = (now: number): Tally | undefined => {
    const place = fewest(tallies, (tally) => isQuiet(tally, now));
    if (place) tallies.delete(place.key);
    return place?.tally;
  };
  return {
    get,
    count: (key, now) => {
      const isOneTooMany = inherits && !tallies.has(key) && tallies.size >= limit;
      const before = isOneTooMany ? makePlace(now) : get(key, now);
      // Taken out first: the order of a Map is the order in which its keys were last touched.
      tallies.delete(key);
      tallies.set(key, { failures: (before?.failures ?? 0) + 1, at: now });
      return () => takeBack(tallies, key, before, now);
    },
    trim: (now) => dropSurplus(tallies, limit, (key, tally) => rank(key, tally, now)),
    clear: (isMeant) => {
      for (const key of tallies.keys()) if (isMeant(key)) tallies.delete(key);
    },
    entries: (now) => [...tallies].filter(([, tally]) => !isQuiet(tally, now)),
  };
}

/** The times of each source's failures within the window. */
export interface Windows {
  /** When the oldest failure of a full window leaves it; never (minus infinity) while there is room. */
  end(source: string, now: number): number;
  count(source: string, now: number): Undo;
  /** Drops what is too much, the longest untouched first and those that are full last. */
  trim(now: number): void;
  clear(source: string): void;
  entries(now: number): [string, readonly number[]][];
}

export function createWindows(
  stored: Iterable<[string, readonly number[]]>,
  limit: number,
  size = sourceWindow,
): Windows {
  const windows = new Map(stored);
  const get = (source: string, now: number): readonly number[] =>
    (windows.get(source) ?? []).filter((at) => now < at + size.seconds);
  return {
    end: (source, now) => windowEnd(get(source, now), size),
    count: (source, now) => {
      const times = [...get(source, now), now];
      windows.delete(source);
      windows.set(source, times);
      return () => {
        const present = [...(windows.get(source) ?? [])];
        const index = present.lastIndexOf(now);
        if (index >= 0) present.splice(index, 1);
        if (present.length > 0) windows.set(source, present);
        else windows.delete(source);
      };
    },
    trim: (now) => dropSurplus(windows, limit, (_, times) => (now < windowEnd(times, size) ? 1 : 0)),
    clear: (source) => void windows.delete(source),
    entries: (now) =>
      [...windows.keys()]
        .map((source): [string, readonly number[]] => [source, get(source, now).slice(-size.failures)])
        .filter(([, times]) => times.length > 0),
  };
}

function takeBack(
  tallies: Map<string, Tally>,
  key: string,
  before: Tally | undefined,
  countedAt: number,
): void {
  const present = tallies.get(key);
  if (!present) return;
  const failures = present.failures - 1;
  if (failures === 0) tallies.delete(key);
  // Its time too, unless somebody else has been counted since: or the delay before it would begin anew.
  else tallies.set(key, { failures, at: present.at === countedAt && before ? before.at : present.at });
}

function fewest(
  tallies: Map<string, Tally>,
  isQuiet: (tally: Tally) => boolean,
): { key: string; tally: Tally | undefined } | undefined {
  let found: { key: string; tally: Tally } | undefined;
  for (const [key, tally] of tallies) {
    if (isQuiet(tally)) return { key, tally: undefined };
    if (!found || tally.failures < found.tally.failures) found = { key, tally };
  }
  return found;
}

/** A sixteenth goes at once, so that a flood does not have the table looked through at each try. */
function dropSurplus<V>(
  entries: Map<string, V>,
  limit: number,
  rankOf: (key: string, value: V) => number,
): void {
  if (entries.size <= limit) return;
  const ranked = [...entries].map(([key, value]) => ({ key, rank: rankOf(key, value) }));
  const kept = limit - Math.floor(limit / 16);
  // The order of equal ranks stays that of the Map: the longest untouched first.
  for (const { key } of ranked.sort((a, b) => a.rank - b.rank).slice(0, -kept)) entries.delete(key);
}
