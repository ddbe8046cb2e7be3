import { uptime } from "node:os";
import { uptime as processUptime } from "node:process";
import type { Uptime } from "../ports.ts";

/** Milliseconds that a reading is good for; a reading costs a system call and a tenth of a request. */
const freshMilliseconds = 250;

/**
 * Seconds of CLOCK_BOOTTIME, read at most four times a second and carried on by the process's own monotonic clock
 * in between. After a suspension the first quarter of a second still shows the time before it.
 */
export function createUptime(): Uptime {
  let readAt = Number.NEGATIVE_INFINITY;
  let reading = 0;
  return () => {
    // Not performance.now(): the first look at that global loads a dozen modules.
    const now = processUptime() * 1_000;
    if (now - readAt > freshMilliseconds) {
      reading = uptime();
      readAt = now;
    }
    return reading + (now - readAt) / 1_000;
  };
}
