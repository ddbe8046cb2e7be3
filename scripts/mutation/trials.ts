import { spawn } from "node:child_process";
import { activeVariable } from "./instrument.ts";

/** How a run of one test file ended. */
export type Ending = "passed" | "failed" | "hung";

/** Names the file in which a run leaves the faults whose code it came through. */
export const coverageVariable = "STEWARD_MUTATION_COVERAGE";

/** Runs a compiled test file with one fault switched on, or none; what takes longer than `seconds` is killed. */
export function runTestFile(
  file: string,
  seconds: number,
  given: { directory: string; mutant?: string; coverage?: string },
): Promise<Ending> {
  const child = spawn(process.execPath, [file], {
    stdio: "ignore",
    // A group of its own, so that what the test has started ends with it.
    detached: true,
    env: {
      ...process.env,
      // Where a test finds the programs that it starts.
      STEWARD_COMPILED_TESTS: given.directory,
      ...(given.mutant !== undefined && { [activeVariable]: given.mutant }),
      ...(given.coverage !== undefined && { [coverageVariable]: given.coverage }),
    },
  });
  return new Promise((resolve) => {
    let hasHung = false;
    const timer = setTimeout(() => {
      hasHung = true;
      endGroup(child.pid);
    }, seconds * 1_000);
    child.once("exit", (code) => {
      clearTimeout(timer);
      endGroup(child.pid);
      resolve(hasHung ? "hung" : code === 0 ? "passed" : "failed");
    });
  });
}

function endGroup(id: number | undefined): void {
  if (id === undefined) return;
  try {
    process.kill(-id, "SIGKILL");
  } catch {
    // All of them have ended.
  }
}
