import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** The environment in which libfaketime moves a process's wall clock, such as by `+3s`, and leaves its monotonic clock. */
export function fakedTime(time: string): Record<string, string> {
  return { ...fakingTime(), FAKETIME: time };
}

/** The same where a variable besides says which time it is. */
export function fakingTime(): Record<string, string> {
  const library = readdirSync("/usr/lib")
    .map((name) => join("/usr/lib", name, "faketime/libfaketime.so.1"))
    .find((path) => existsSync(path));
  if (library === undefined) throw new Error("libfaketime is not installed (Debian: faketime)");
  return { LD_PRELOAD: library, FAKETIME_DONT_FAKE_MONOTONIC: "1" };
}
