import type { Timers } from "../../host/ports.ts";

/** When the loop wakes up: for the next round, and for a look every few seconds. */
export interface Timetable {
  start(): void;
  isRunning(): boolean;
  /** The next round is in so many seconds, whatever was set before; nothing while it is stopped. */
  roundIn(seconds: number, burst: number): void;
  noRound(): void;
  stop(): void;
}

export interface TimetableOptions {
  readonly timers: Timers;
  readonly onRound: (burst: number) => void;
  /** Never rejects; the next look comes when it is done. */
  readonly onLook: () => Promise<void>;
}

/** Seconds between two looks at who else is there; each is a few stat(2) calls. */
const lookSeconds = 16;

export function createTimetable({ timers, onRound, onLook }: TimetableOptions): Timetable {
  let isRunning = false;
  let cancelRound = (): void => undefined;
  let cancelLook = (): void => undefined;
  const lookAfterwards = (): void => {
    if (!isRunning) return;
    cancelLook = timers.after(lookSeconds, () => {
      void onLook().then(lookAfterwards);
    });
  };
  return {
    start: () => {
      isRunning = true;
      lookAfterwards();
    },
    isRunning: () => isRunning,
    roundIn: (seconds, burst) => {
      cancelRound();
      if (isRunning) cancelRound = timers.after(seconds, () => onRound(burst));
    },
    noRound: () => cancelRound(),
    stop: () => {
      isRunning = false;
      cancelRound();
      cancelLook();
    },
  };
}
