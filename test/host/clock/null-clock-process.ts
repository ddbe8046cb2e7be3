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
  /** It takes one look at the wall clock, unless it waited for the next millisecond. */
  looks: number;
}

let suspendedSeconds = 0;
const driver = createNullClockDriver("no_addon", () => uptime() + suspendedSeconds);
let looks = 0;
const wallClock = Date.now;
Date.now = () => {
  looks += 1;
  return wallClock();
};
for await (const line of createInterface({ input: process.stdin })) {
  suspendedSeconds = Number(line);
  const first = wallClock();
  looks = 0;
  const begin = seconds();
  const reading = driver.read();
  const tookSeconds = seconds() - begin;
  const between: [number, number] = [first, wallClock()];
  const report: NullReading = { ...reading, between, monotonic: begin, tookSeconds, looks };
  console.log(JSON.stringify(report));
}

function seconds(): number {
  const [whole, nanoseconds] = hrtime();
  return whole + nanoseconds / 1e9;
}
