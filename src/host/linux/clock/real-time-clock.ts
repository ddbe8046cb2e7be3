import { readFileSync } from "node:fs";
import { tried } from "../tried.ts";

/** Seconds since 1970 by the battery-backed clock, which the kernel takes to run in UTC. */
const usualPath = "/sys/class/rtc/rtc0/since_epoch";

/** The battery-backed clock, rounded down to seconds; null if there is none, or it returns no time. */
export function readRealTimeClock(path = usualPath): Date | null {
  const text = tried(() => readFileSync(path, "utf8")) ?? "";
  return /^\d{1,12}\n?$/.test(text) ? new Date(Number(text) * 1_000) : null;
}
