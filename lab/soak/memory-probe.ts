/**
 * Loaded by Node into an agent under load, before the program: writes down every few seconds what the process holds once
 * V8 has collected all that it can. Between two collections a heap that is not full yet looks like one that leaks.
 */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { getHeapCodeStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { isMainThread } from "node:worker_threads";

/** Names the file that the probe writes to, in the environment. */
export const memoryFileVariable = "STEWARD_SOAK_MEMORY";

/**
 * Bytes after a full collection: of V8's heap and of what it holds outside of it, without the code that V8 compiles of the
 * program, more and more of it for hours; and all anonymous pages of the process. Its other resident pages are those of
 * files, Node's own above all: the kernel maps as many of them as memory is free, and takes them back.
 */
export interface MemoryReading {
  readonly heldBytes: number;
  readonly anonymousBytes: number;
}

const readingSeconds = 5;

const file = process.env[memoryFileVariable];
// Processes, and threads with a heap of their own, inherit the agent's environment.
if (file !== undefined && isMainThread && process.argv.includes("serve")) {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  setInterval(() => {
    collect();
    const { heapUsed, external } = process.memoryUsage();
    const { code_and_metadata_size: code, bytecode_and_metadata_size: bytecode } = getHeapCodeStatistics();
    const reading: MemoryReading = {
      heldBytes: heapUsed + external - code - bytecode,
      anonymousBytes: anonymousBytes(),
    };
    writeFileSync(`${file}.new`, JSON.stringify(reading));
    renameSync(`${file}.new`, file);
  }, readingSeconds * 1_000).unref();
}

function anonymousBytes(): number {
  const kibibytes = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "latin1"))?.[1];
  if (kibibytes === undefined) throw new Error("/proc/self/status has no RssAnon");
  return Number(kibibytes) * 1_024;
}
