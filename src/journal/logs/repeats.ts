import type { Timers } from "../../host/ports.ts";

/** Writes the first of a kind at once, and then at most one line a minute for all like it, with their number. */
export interface Repeats<T> {
  /** The one before, if this one was only counted; null: it was written. */
  add(one: T): T | null;
  /** Writes those that were counted and are not written yet. */
  close(): void;
}

interface RepeatsOptions<T> {
  /** The name of the kind. */
  keyOf: (one: T) => string;
  /** False: the second ends the count of the first, although they are of one kind. Absent: all of a kind are alike. */
  areAlike?: (first: T, second: T) => boolean;
  /**
   * The form of one when there are too many kinds: all of these share one line. Absent: it is written at once,
   * uncounted.
   */
  amongOthers?: (one: T) => T;
  /** `one`: the last of those that are counted. */
  tell: (one: T, count: number) => void;
  /** Kinds counted apart, some 500 bytes each. */
  maximum?: number | undefined;
  /** The seconds between two lines of a kind double up to this while it repeats; 60 by default. */
  longestQuietSeconds?: number;
  timers: Timers;
}

/** Seconds between the first two lines of one kind. */
const quietSeconds = 60;

const maximumKinds = 512;

/** keyOf() never returns an empty text. */
const others = "";

interface Counted<T> {
  one: T;
  /** Number since the last line. */
  count: number;
  takeBack: () => void;
}

export function createRepeats<T>(options: RepeatsOptions<T>): Repeats<T> {
  const { keyOf, areAlike = () => true, amongOthers, tell, maximum = maximumKinds, timers } = options;
  const { longestQuietSeconds = quietSeconds } = options;
  const kinds = new Map<string, Counted<T>>();
  const begin = (key: string, counted: Counted<T>, seconds: number): void => {
    counted.takeBack = timers.after(seconds, () => due(key, counted, seconds));
  };
  const due = (key: string, counted: Counted<T>, seconds: number): void => {
    if (counted.count === 0) {
      kinds.delete(key);
      return;
    }
    begin(key, counted, Math.min(2 * seconds, longestQuietSeconds));
    tell(counted.one, counted.count);
    counted.count = 0;
  };
  const end = (key: string, { one, count, takeBack }: Counted<T>): void => {
    takeBack();
    kinds.delete(key);
    if (count > 0) tell(one, count);
  };
  /** Its kind and its form; null: it is written on its own. */
  const placed = (one: T): [key: string, meant: T] | null => {
    const own = keyOf(one);
    if (kinds.has(own) || kinds.size < maximum) return [own, one];
    return amongOthers === undefined ? null : [others, amongOthers(one)];
  };
  return {
    add: (one) => {
      const [key, meant] = placed(one) ?? [null, one];
      const known = key === null ? undefined : kinds.get(key);
      if (known && areAlike(known.one, meant)) {
        const before = known.one;
        known.one = meant;
        known.count += 1;
        return before;
      }
      if (key !== null) {
        if (known) end(key, known);
        const counted = { one: meant, count: 0, takeBack: () => undefined };
        kinds.set(key, counted);
        begin(key, counted, quietSeconds);
      }
      tell(meant, 1);
      return null;
    },
    close: () => {
      for (const [key, counted] of [...kinds]) end(key, counted);
    },
  };
}
