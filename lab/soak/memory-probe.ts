/**
 * Loaded by Node into an agent under load, before the program: writes down every few seconds the bytes that the process
 * holds once V8 has collected all that it can. Between two collections a heap that is not full yet looks like one that leaks.
 *
 * `held`: V8's heap and what it holds outside of it, without the code that V8 compiles of the program, more and more of it
 * for hours. `anonymous`: all anonymous pages of the process; the kernel maps as many of those of files as memory is free.
 */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { getHeapCodeStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { isMainThread } from "node:worker_threads";

const readingSeconds = 3;

const file = process.env.STEWARD_SOAK_MEMORY;
// Processes, and threads with a heap of their own, inherit the agent's environment.
if (file !== undefined && isMainThread && process.argv.includes("serve")) {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  setInterval(() => {
    collect();
    const { heapUsed, external } = process.memoryUsage();
    const { code_and_metadata_size: code, bytecode_and_metadata_size: bytecode } = getHeapCodeStatistics();
    const [, anonymous] = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "latin1")) ?? [];
    const reading = { held: heapUsed + external - code - bytecode, anonymous: Number(anonymous) * 1_024 };
    writeFileSync(`${file}.new`, JSON.stringify(reading));
    renameSync(`${file}.new`, file);
  }, readingSeconds * 1_000).unref();
}
