import { uptime } from "node:os";
import { monotonicMilliseconds } from "../monotonic.ts";
import type { Uptime } from "../ports.ts";

/** Milliseconds for which a reading is reused: a system call would cost a tenth of a request. */
const freshMilliseconds = 250;

/** Seconds of CLOCK_BOOTTIME, read at most four times a second: for so long it may miss a suspension. */
export function createUptime(): Uptime {
  let readAt = Number.NEGATIVE_INFINITY;
  let reading = 0;
  return () => {
    const now = monotonicMilliseconds();
    if (now - readAt > freshMilliseconds) {
      reading = uptime();
      readAt = now;
    }
    return reading + (now - readAt) / 1_000;
  };
}
