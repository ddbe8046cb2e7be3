import { uptime } from "node:process";

/**
 * Milliseconds of the process's own monotonic clock. Not performance.now(): the first use of that global loads a dozen
 * modules of Node's.
 */
export function monotonicMilliseconds(): number {
  return uptime() * 1_000;
}
