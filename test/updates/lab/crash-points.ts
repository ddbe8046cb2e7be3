import { execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { type Ending, temporaryDirectory } from "../../store/state-directory.ts";

/** How a call is interrupted: before it is done, after half of what it writes, or for want of space from then on. */
export type Interruption = "before" | "half" | "full";

export interface Ended {
  signal: NodeJS.Signals | null;
  code: number | null;
  /** What it printed: a StewardError's code. */
  output: string;
}

/** The lab's child, and a library that interrupts it at the Nth call that changes files under its directory. */
export interface CrashHarness {
  /** Names of the calls of one whole run, in order. */
  calls(directory: string, args: readonly string[]): Promise<string[]>;
  run(directory: string, args: readonly string[], at: number, how: Interruption): Promise<Ended>;
}

export async function createCrashHarness(test: Ending): Promise<CrashHarness> {
  const place = await temporaryDirectory(test);
  const library = join(place, "kill-at.so");
  const source = join(import.meta.dirname, "kill-at.c");
  execFileSync("cc", ["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", library, source, "-ldl"], {
    stdio: "pipe",
  });
  const program = join(place, "refresh-and-fetch.mjs");
  await build({
    entryPoints: [join(import.meta.dirname, "refresh-and-fetch.ts")],
    outfile: program,
    bundle: true,
    format: "esm",
    platform: "node",
    banner: {
      js: 'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);',
    },
    logLevel: "warning",
  });
  const start = (
    directory: string,
    args: readonly string[],
    more: Record<string, string>,
  ): Promise<Ended> => {
    const environment = { LD_PRELOAD: library, KILL_AT_DIRECTORY: directory, UV_USE_IO_URING: "0", ...more };
    const child = spawn(process.execPath, [program, directory, ...args], {
      env: { ...process.env, ...environment },
      stdio: ["ignore", "pipe", "inherit"],
    });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    // One that hangs is no crash point.
    const timer = setTimeout(() => child.kill("SIGABRT"), 20_000);
    return new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code, signal) => {
        clearTimeout(timer);
        resolve({ code, signal, output });
      });
    });
  };
  return {
    calls: async (directory, args) => {
      const log = join(place, randomBytes(6).toString("hex"));
      const { code, output } = await start(directory, args, { KILL_AT_LOG: log });
      if (code !== 0) throw new Error(`the run that counts ended with ${code} ${output}`);
      const lines = (await readFile(log, "utf8")).trim().split("\n");
      return lines.map((line) => line.replace(/^\d+ /, "").replace(`${directory}/`, ""));
    },
    run: (directory, args, at, how) =>
      start(directory, args, { KILL_AT_COUNT: String(at), KILL_AT_HOW: how }),
  };
}
