import type { Timers } from "../../host/ports.ts";

/** Writes the first of a kind at once, and then at most one line a minute for all like it, with their number. */
export type Repeats<T> = ReturnType<typeof createRepeats<T>>;

interface RepeatsOptions<T> {
  keyOf: (one: T) => string;
  /** False: the second ends the count of the first, although they are of one kind. Absent: all of a kind are alike. */
  areAlike?: (first: T, second: T) => boolean;
  /**
   * Forms of one that are counted instead when there are too many kinds, each wider than the one before: the first that
   * has room, and in any case the last, so there must be few of those. Absent: it is written at once, uncounted.
   */
  amongOthers?: (one: T) => readonly T[];
  /** `one`: the last of those that are counted. */
  tell: (one: T, count: number) => void;
  /** Kinds up to which this one is counted apart, some 500 bytes each; each of its wider forms has as much room more. */
  maximumOf?: (one: T) => number;
  /** The seconds between two lines of a kind double up to this while it repeats; 60 by default. */
  longestQuietSeconds?: number;
  timers: Timers;
}

/** Seconds between the first two lines of one kind. */
const quietSeconds = 60;

export const maximumKinds = 512;

interface Counted<T> {
  one: T;
  /** Number since the last line. */
  count: number;
  takeBack: () => void;
}

export function createRepeats<T>(options: RepeatsOptions<T>) {
  const { areAlike = () => true, tell, timers, longestQuietSeconds = quietSeconds } = options;
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
  return {
    /** The one before, if this one was only counted; null: it was written. */
    add: (one: T): T | null => {
      const [key, meant] = placed(options, one, kinds) ?? [null, one];
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
    /** Writes those that were counted and are not written yet. */
    close: (): void => {
      for (const [key, counted] of [...kinds]) end(key, counted);
    },
  };
}

/** The kind and the form that one is counted by; undefined: it is written on its own. */
function placed<T>(
  { keyOf, amongOthers = () => [], maximumOf = () => maximumKinds }: RepeatsOptions<T>,
  one: T,
  kinds: ReadonlyMap<string, unknown>,
): readonly [key: string, form: T] | undefined {
  const others = amongOthers(one);
  const isLast = (place: number) => place > 0 && place === others.length;
  return [one, ...others]
    .map((form) => [keyOf(form), form] as const)
    .find(([key], place) => kinds.has(key) || kinds.size < (place + 1) * maximumOf(one) || isLast(place));
}
