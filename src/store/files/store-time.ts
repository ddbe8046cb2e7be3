import { uptime } from "node:process";

/** The time that documents and their disk use. An agent passes its host's, which has all of this. */
export interface StoreTime {
  /** Seconds that only grow. */
  readonly uptime: () => number;
  /** Milliseconds since 1970 by the wall clock, right or wrong. */
  readonly wall: () => number;
  /** Calls once after so many seconds; the returned function cancels it. It keeps no process alive. */
  readonly timers: { after(seconds: number, call: () => void): () => void };
}

/** This process's own time, for a command. */
export const processTime: StoreTime = {
  uptime,
  wall: () => Date.now(),
  timers: {
    after: (seconds, call) => {
      const timer = setTimeout(call, seconds * 1_000).unref();
      return () => clearTimeout(timer);
    },
  },
};
