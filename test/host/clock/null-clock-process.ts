/**
 * Reads a null driver at each line of standard input, which tells for how many seconds the host was suspended so far,
 * and prints the reading beside this process's own clocks as JSON.
 */
import { uptime } from "node:os";
import { hrtime } from "node:process";
import { createInterface } from "node:readline";
import { createNullClockDriver } from "../../../src/host/linux/clock/null-clock-driver.ts";
import type { ClockReading } from "../../../src/host/ports.ts";

export interface NullReading extends ClockReading {
  /** Milliseconds: Date.now() just before and just after the reading. */
  between: [number, number];
  /** Seconds of CLOCK_MONOTONIC just before the reading, and how many it took. */
  monotonic: number;
  tookSeconds: number;
}

let suspendedSeconds = 0;
const driver = createNullClockDriver("no_addon", () => uptime() + suspendedSeconds);
for await (const line of createInterface({ input: process.stdin })) {
  suspendedSeconds = Number(line);
  const first = Date.now();
  const begin = seconds();
  const reading = driver.read();
  const tookSeconds = seconds() - begin;
  const report: NullReading = { ...reading, between: [first, Date.now()], monotonic: begin, tookSeconds };
  console.log(JSON.stringify(report));
}

function seconds(): number {
  const [whole, nanoseconds] = hrtime();
  return whole + nanoseconds / 1e9;
}
