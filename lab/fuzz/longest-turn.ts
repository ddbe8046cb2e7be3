import { readFileSync, writeFileSync } from "node:fs";
import { setImmediate } from "node:timers/promises";

/** The cost of one reading to the process that reads. */
export interface Cost {
  /** Milliseconds of its thread's time: the longest turn of the event loop. */
  readonly longestTurn: number;
  /** MiB that the process took at most, beyond those before it. */
  readonly memory: number;
  /** `read`, or the code of the refusal. */
  readonly outcome: string;
}

/** Measures a reading. The time of other processes does not count, so that it is the same on a machine that is busy. */
export async function costOf(read: () => Promise<unknown>): Promise<Cost> {
  globalThis.gc?.();
  // proc_pid_clear_refs(5): 5 makes the present memory the peak.
  writeFileSync("/proc/self/clear_refs", "5");
  const before = peakMiB();
  let [isOver, longestTurn, last] = [false, 0, threadMilliseconds()];
  const watch = async (): Promise<void> => {
    while (!isOver) {
      await setImmediate();
      const now = threadMilliseconds();
      longestTurn = Math.max(longestTurn, now - last);
      last = now;
    }
  };
  const watching = watch();
  const outcome = await read().then(
    () => "read",
    (error: { code?: string; cause?: { code?: string } }) => error.code ?? error.cause?.code ?? String(error),
  );
  await setImmediate();
  isOver = true;
  await watching;
  return { longestTurn, memory: peakMiB() - before, outcome };
}

/** proc_pid_schedstat: nanoseconds that the main thread has run. */
function threadMilliseconds(): number {
  const [nanoseconds] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, "latin1").split(" ");
  return Number(nanoseconds) / 1e6;
}

/** proc_pid_status(5) */
function peakMiB(): number {
  return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync("/proc/self/status", "latin1"))?.[1]) / 1_024;
}
