import { spawn } from "node:child_process";
import { join } from "node:path";
import { bundle } from "../basics/bundle.ts";
import { type Ending, temporaryDirectory } from "../basics/ending.ts";
import { compileKillAt, type Watched, watchRun } from "./power-cut.ts";

/**
 * A call is interrupted in one of three ways: before it is done, after half of what it writes, or by a disk that is
 * full from then on.
 */
export type Interruption = "before" | "half" | "full";

export interface Ended {
  signal: NodeJS.Signals | null;
  code: number | null;
  /** It printed the code of a StewardError. */
  output: string;
}

/** The lab's child, and a library that interrupts it at the Nth call that changes files under its directory. */
export interface CrashHarness {
  /** One whole run, and whatever it may leave in the directory where it is interrupted at a call that `concerns` names. */
  watch(directory: string, args: readonly string[], concerns: RegExp): Promise<Watched<Ended>>;
  run(directory: string, args: readonly string[], at: number, how: Interruption): Promise<Ended>;
}

export async function createCrashHarness(test: Ending): Promise<CrashHarness> {
  const place = await temporaryDirectory(test);
  const library = compileKillAt(place);
  const program = await bundle(place, join(import.meta.dirname, "refresh-and-fetch.ts"));
  const start = (
    directory: string,
    args: readonly string[],
    more: Record<string, string>,
  ): Promise<Ended> => {
    const child = spawn(process.execPath, [program, directory, ...args], {
      env: { ...process.env, LD_PRELOAD: library, UV_USE_IO_URING: "0", ...more },
      stdio: ["ignore", "pipe", "inherit"],
    });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    // One that hangs is no crash point.
    const timer = setTimeout(() => child.kill("SIGABRT"), 300_000);
    return new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code, signal) => {
        clearTimeout(timer);
        resolve({ code, signal, output });
      });
    });
  };
  return {
    watch: async (directory, args, concerns) => {
      const run = (environment: Record<string, string>) => start(directory, args, environment);
      const watched = await watchRun({ library, directory, concerns, start: run });
      const { code, output } = watched.ended;
      if (code !== 0) throw new Error(`the run that is watched ended with ${code} ${output}`);
      return watched;
    },
    run: (directory, args, at, how) =>
      start(directory, args, {
        ...{ KILL_AT_DIRECTORY: directory, KILL_AT_COUNT: String(at), KILL_AT_HOW: how },
      }),
  };
}
