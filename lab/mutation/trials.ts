import { spawn } from "node:child_process";
import { makeTemporaryDirectory } from "../../scripts/test-runner/temporary-files.ts";
import { activeVariable } from "./instrument.ts";

/** The end of a run of one test file. */
export type Ending = "passed" | "failed" | "hung";

/** Names the file in which a run leaves the faults whose code it came through. */
export const coverageVariable = "STEWARD_MUTATION_COVERAGE";

/** Characters kept of what has come, so that a line in two pieces is one. */
const longestLine = 200;

/** The line about a test that fails, as soon as it does: by TAP, and by Node's own words. */
const failedTest = /^\s*(not ok |✖ )/m;

/**
 * Runs a compiled test file with one fault switched on, or none. It is killed at the first test that fails, as the others
 * say no more, and when it takes longer than `seconds`.
 */
export function runTestFile(
  file: string,
  seconds: number,
  given: { directory: string; mutant?: string; coverage?: string },
): Promise<Ending> {
  // A directory of its own: a test that is killed does not remove its files.
  const temporary = makeTemporaryDirectory();
  const child = spawn(process.execPath, [file], {
    stdio: ["ignore", "pipe", "ignore"],
    // A group of its own, so that what the test has started ends with it.
    detached: true,
    env: {
      ...process.env,
      TMPDIR: temporary.directory,
      // A test finds the programs that it starts here.
      STEWARD_COMPILED_TESTS: given.directory,
      ...(given.mutant !== undefined && { [activeVariable]: given.mutant }),
      ...(given.coverage !== undefined && { [coverageVariable]: given.coverage }),
    },
  });
  return new Promise((resolve) => {
    let [hasHung, hasFailed, line] = [false, false, ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      hasFailed ||= failedTest.test(line + text);
      line = (line + text).slice(-longestLine);
      if (hasFailed) endGroup(child.pid);
    });
    const timer = setTimeout(() => {
      hasHung = true;
      endGroup(child.pid);
    }, seconds * 1_000);
    child.once("exit", (code) => {
      clearTimeout(timer);
      endGroup(child.pid);
      temporary.remove();
      resolve(hasHung ? "hung" : code === 0 && !hasFailed ? "passed" : "failed");
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
