/** The process of each test file does this before its tests. */
import { access } from "node:fs";
import { noteOwnCost } from "./costs.ts";
import { followTestsOnly } from "./current-test.ts";

/** Milliseconds after which a task that no thread has taken is taken all the same. */
const wakeMilliseconds = 2_000;

const begun = Symbol.for("steward.test-process-begun");

/**
 * Called on the first line of each compiled test file; `file` is its path from the root of the repository. Of several in
 * one process the first is what it costs; they may have been compiled apart.
 */
export function beginTestFile(file: string): void {
  if (begun in globalThis) return;
  Object.assign(globalThis, { [begun]: true });
  noteOwnCost(file);
  followTestsOnly();
  wakeThreads();
}

/**
 * In glibc before 2.41 pthread_cond_signal may wake nothing (its bug 25847): a task of the file system then waits in
 * libuv's queue while all four threads sleep, until the next task wakes one. Agents always have a next one; a test that
 * awaits its one read would wait for ever.
 */
function wakeThreads(): void {
  setInterval(() => access("/", () => undefined), wakeMilliseconds).unref();
}
