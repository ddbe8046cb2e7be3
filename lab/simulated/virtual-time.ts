import type { Timers } from "../../src/host/ports.ts";

interface Waiting {
  at: number;
  /** Seconds that were asked for. */
  readonly wait: number;
  readonly isOfHost: boolean;
  readonly call: () => void;
}

/** It passes as fast as the machine can count, and only when the test lets it: true time in seconds since its beginning. */
export type VirtualTime = ReturnType<typeof createVirtualTime>;

/** True time in a simulated world, however it passes. */
export type WorldTime = Pick<VirtualTime, "now" | "at" | "hostTimers" | "pass">;

export function createVirtualTime() {
  let now = 0;
  let waiting: Waiting[] = [];
  const add = (one: Waiting): (() => void) => {
    waiting.push(one);
    return () => {
      waiting = waiting.filter((other) => other !== one);
    };
  };
  const first = (of = waiting) =>
    of.reduce<Waiting | null>((a, b) => (a === null || b.at < a.at ? b : a), null);
  /** Calls the next event that is due by then. False when there is none. */
  const callNext = (until: number): boolean => {
    const one = first();
    if (one === null || one.at > until) return false;
    now = one.at;
    waiting = waiting.filter((other) => other !== one);
    one.call();
    return true;
  };
  return {
    now: () => now,
    /** When the next event is due, of those that were to come within so many seconds (all) when they were set; null: none is. */
    nextAt: (longestWait = Number.POSITIVE_INFINITY): number | null =>
      first(waiting.filter(({ wait }) => wait <= longestWait))?.at ?? null,
    /** Counts the timers of the host that run out in just so many seconds. */
    dueIn: (seconds: number): number =>
      waiting.filter(({ isOfHost, at }) => isOfHost && at === now + seconds).length,
    /** Something of the world's happens then; the result takes it back. */
    at: (seconds: number, call: () => void): (() => void) =>
      add({ at: Math.max(now, seconds), wait: Math.max(0, seconds - now), isOfHost: false, call }),
    /** Timers of the host; they stop while it sleeps. */
    hostTimers: {
      after: (seconds, call) => {
        const wait = Math.max(0, seconds);
        return add({ at: now + wait, wait, isOfHost: true, call });
      },
    } as Timers,
    /** The host's timers run out so much later. */
    postponeHostTimers: (seconds: number): void => {
      for (const one of waiting) if (one.isOfHost) one.at += seconds;
    },
    /** Lets so many seconds pass at once; what is due is called in its order, and what follows from it comes later. */
    pass: (seconds: number): void => {
      const end = now + seconds;
      while (callNext(end));
      now = end;
    },
    /** Lets everything happen until then, with all that follows from each event before the next one. */
    runUntil: async (seconds: number): Promise<void> => {
      // Promises settle before the next turn of the event loop, however many hang on each other.
      do await new Promise(setImmediate);
      while (callNext(seconds));
      now = seconds;
    },
  };
}

/** Time that runs at the speed of this machine, and that a test can advance further. */
export function createRunningTime(): WorldTime {
  const virtual = createVirtualTime();
  const begin = performance.now();
  let passed = 0;
  let timer: NodeJS.Timeout | undefined;
  const now = (): number => passed + (performance.now() - begin) / 1_000;
  const catchUp = (): void => {
    virtual.pass(now() - virtual.now());
    wait();
  };
  const wait = (): void => {
    clearTimeout(timer);
    const next = virtual.nextAt();
    if (next === null) return;
    // Rounded up: a timer may end within the millisecond before it is due. From 24 on Node warns of less than 0.
    timer = setTimeout(catchUp, Math.max(0, Math.ceil((next - now()) * 1_000))).unref();
  };
  const at: WorldTime["at"] = (seconds, call) => {
    const takeBack = virtual.at(seconds, call);
    wait();
    return takeBack;
  };
  return {
    now,
    at,
    hostTimers: { after: (seconds, call) => at(now() + Math.max(0, seconds), call) },
    pass: (seconds) => {
      passed += seconds;
      catchUp();
    },
  };
}
