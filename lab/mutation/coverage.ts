/** Imported by each compiled test file: leaves at its end what the run came through and what it cost. */
import { readFileSync, writeFileSync } from "node:fs";

/** The trace of a run of a test file. */
interface Trace {
  /** The ids of the faults whose code it came through. */
  readonly faults: readonly string[];
  /** Its own and those of the processes that it waited for; how busy the machine is does not count. */
  readonly processorSeconds: number;
}

const path = process.env.STEWARD_MUTATION_COVERAGE;
if (path !== undefined) {
  process.once("exit", () => {
    const board = (globalThis as { __stryker__?: { mutantCoverage?: { static: object } } }).__stryker__;
    const faults = Object.keys(board?.mutantCoverage?.static ?? {});
    const trace: Trace = { faults, processorSeconds: processorSeconds() };
    writeFileSync(path, JSON.stringify(trace));
  });
}

export function readTrace(file: string): Trace {
  return JSON.parse(readFileSync(file, "utf8")) as Trace;
}

/** utime, stime, cutime and cstime of proc_pid_stat(5), in hundredths of a second; the name before them may hold blanks. */
function processorSeconds(): number {
  const fields = readFileSync("/proc/self/stat", "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100;
}
