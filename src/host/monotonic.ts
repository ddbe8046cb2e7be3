import { uptime } from "node:process";

/** Milliseconds of the process's monotonic clock. The first use of performance.now() would load a dozen of Node's modules. */
export function monotonicMilliseconds(): number {
  return uptime() * 1_000;
}
