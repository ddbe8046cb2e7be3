import type { Timers } from "../../host/ports.ts";

/** Tells the first of a kind at once, and then at most one a minute for all like it, with how many they are. */
export interface Repeats<T> {
  add(one: T): void;
  /** Tells what was counted and not yet told. */
  close(): void;
}

export interface RepeatsOptions<T> {
  /** Names the kind. */
  keyOf: (one: T) => string;
  /** How one is told that comes when there are too many kinds: all of these share one line. */
  amongOthers: (one: T) => T;
  /** `one`: the last of those that it stands for. */
  tell: (one: T, count: number) => void;
  /** Kinds told apart, some 500 bytes each. */
  maximum?: number | undefined;
  timers: Timers;
}

/** Seconds between two lines of one kind. */
const quietSeconds = 60;

const maximumKinds = 512;

/** No keyOf() is empty. */
const others = "";

interface Counted<T> {
  one: T;
  /** Since the last line. */
  count: number;
  takeBack: () => void;
}

export function createRepeats<T>(options: RepeatsOptions<T>): Repeats<T> {
  const { keyOf, amongOthers, tell, maximum = maximumKinds, timers } = options;
  const kinds = new Map<string, Counted<T>>();
  const due = (key: string, counted: Counted<T>): void => {
    if (counted.count === 0) {
      kinds.delete(key);
      return;
    }
    begin(key, counted);
    tell(counted.one, counted.count);
    counted.count = 0;
  };
  const begin = (key: string, counted: Counted<T>): void => {
    counted.takeBack = timers.after(quietSeconds, () => due(key, counted));
  };
  return {
    add: (one) => {
      const own = keyOf(one);
      const isTold = kinds.has(own) || kinds.size < maximum;
      const [key, meant] = isTold ? [own, one] : [others, amongOthers(one)];
      const known = kinds.get(key);
      if (known) {
        known.one = meant;
        known.count += 1;
        return;
      }
      const counted = { one: meant, count: 0, takeBack: () => undefined };
      kinds.set(key, counted);
      begin(key, counted);
      tell(meant, 1);
    },
    close: () => {
      for (const { one, count, takeBack } of kinds.values()) {
        takeBack();
        if (count > 0) tell(one, count);
      }
      kinds.clear();
    },
  };
}
