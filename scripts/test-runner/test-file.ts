/** The process of each test file does this before its tests. */
import { access } from "node:fs";

/** Milliseconds after which a task that no thread has taken is taken all the same. */
const wakeMilliseconds = 2_000;

// In glibc before 2.41 pthread_cond_signal may wake nothing (its bug 25847): a task of the file system then waits in
// libuv's queue while all four threads sleep, until the next task wakes one. Agents always have a next one; a test that
// awaits its one read would wait for ever.
setInterval(() => access("/", () => undefined), wakeMilliseconds).unref();
