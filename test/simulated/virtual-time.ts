import type { Timers } from "../../src/host/ports.ts";

interface Waiting {
  at: number;
  readonly isOfHost: boolean;
  readonly call: () => void;
}

/** True time in a simulated world: seconds since its beginning, as fast as the machine can count. */
export interface VirtualTime {
  now(): number;
  /** Something of the world's happens then; the result takes it back. */
  at(seconds: number, call: () => void): () => void;
  /** Timers of the host; they stand still while it sleeps. */
  readonly hostTimers: Timers;
  /** The host's timers run out so much later. */
  postponeHostTimers(seconds: number): void;
  /** Lets everything happen until then, with all that follows from each event before the next one. */
  runUntil(seconds: number): Promise<void>;
}

export function createVirtualTime(): VirtualTime {
  let now = 0;
  let waiting: Waiting[] = [];
  const add = (one: Waiting): (() => void) => {
    waiting.push(one);
    return () => {
      waiting = waiting.filter((other) => other !== one);
    };
  };
  const next = (until: number): Waiting | null => {
    const first = waiting.reduce<Waiting | null>((a, b) => (a === null || b.at < a.at ? b : a), null);
    return first !== null && first.at <= until ? first : null;
  };
  return {
    now: () => now,
    at: (seconds, call) => add({ at: Math.max(now, seconds), isOfHost: false, call }),
    hostTimers: { after: (seconds, call) => add({ at: now + Math.max(0, seconds), isOfHost: true, call }) },
    postponeHostTimers: (seconds) => {
      for (const one of waiting) if (one.isOfHost) one.at += seconds;
    },
    runUntil: async (seconds) => {
      await allThatFollows();
      for (let one = next(seconds); one !== null; one = next(seconds)) {
        now = one.at;
        waiting = waiting.filter((other) => other !== one);
        one.call();
        await allThatFollows();
      }
      now = seconds;
    },
  };
}

/** Promises settle before the next turn of the event loop, however many hang on each other. */
function allThatFollows(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
