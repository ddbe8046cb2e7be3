/** Reads each input with the most elements, in a process of its own, and says what each costs: DIRECTORY. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { readings } from "./most-elements.ts";

/** The cost of one reading to the process that reads. */
export interface Cost {
  /** Milliseconds of its thread's time: the longest turn of the event loop. */
  readonly longestTurn: number;
  /** MiB that the process took at most, beyond those before it. */
  readonly memory: number;
  /** `read`, or the code of the refusal. */
  readonly outcome: string;
}

/** Tries, of which the best counts: a first one compiles the code, and other processes slow this one down. */
const tries = 3;
const goodMilliseconds = 60;

const names = Array.from({ length: 16_000 }, (_, index) => index.toString(36)).join(" ");
writeFileSync(join(process.argv[2] ?? "", "netif-state"), `NTP=${names.slice(0, 65_000)}\n`);
for (const { reader, input, prepare } of readings) {
  const read = await prepare();
  let best: Cost | undefined;
  for (let count = 0; count < tries && (best?.longestTurn ?? Infinity) > goodMilliseconds; count += 1) {
    const cost = await costOf(read);
    if (best === undefined || cost.longestTurn < best.longestTurn)
      best = { ...cost, memory: Math.max(cost.memory, best?.memory ?? 0) };
  }
  process.stdout.write(`${JSON.stringify({ name: `${reader}: ${input}`, ...best })}\n`);
}
process.exit(0);

/** Measures a reading. The time of other processes does not count, so that it is the same on a machine that is busy. */
async function costOf(read: () => Promise<unknown>): Promise<Cost> {
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
  return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, "latin1").split(" ")[0]) / 1e6;
}

/** proc_pid_status(5) */
function peakMiB(): number {
  return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync("/proc/self/status", "latin1"))?.[1]) / 1_024;
}
