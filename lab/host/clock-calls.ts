import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../basics/until.ts";

/**
 * A command to run another under, which writes each system call that can set a clock to a file: strace as the grandchild (-D),
 * so that signals reach the traced process and not strace.
 */
export function traceClock(directory: string) {
  const file = join(directory, "clock-calls");
  const calls = () => readFileSync(file, "utf8").split("\n").filter(Boolean);
  return {
    prefix: [
      ..."strace -D -f -e trace=clock_adjtime,adjtimex,clock_settime,settimeofday".split(" "),
      "-o",
      file,
    ],
    /** Waits for the end of the traced process and gives back the calls, without those that only read. */
    settingCalls: async (pid: number): Promise<string[]> => {
      await until("strace saw the process end", () =>
        new RegExp(`^${pid} .*\\+\\+\\+`, "m").test(text(file)),
      );
      return settingCalls(calls());
    },
    /** Every call of the kind, after `settingCalls`. */
    calls,
  };
}

/** The lines of strace that are no mere reading of a clock. */
export function settingCalls(lines: readonly string[]): string[] {
  assert.ok(lines.length > 0, "strace wrote nothing");
  return lines.filter((line) => {
    // Ends and signals; and the first half of a call whose other half tells what it was.
    if (/^\d+ +(\+\+\+|---)/.test(line) || line.endsWith("<unfinished ...>")) return false;
    return !/\{modes=(0|ADJ_OFFSET_SS_READ),/.test(line);
  });
}

function text(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
