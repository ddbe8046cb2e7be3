import { spawn } from "node:child_process";
import { bundle } from "../basics/bundle.ts";
import { compileKillAt, type WatchOptions, watchRun } from "./power-cut.ts";

export interface Ended {
  readonly signal: NodeJS.Signals | null;
  readonly code: number | null;
  /** All that it printed. */
  readonly output: string;
}

/** A call is interrupted before it is done, after half of what it writes, or by a disk that is full from then on. */
export type Interruption = "before" | "half" | "full";

export type Killable = Awaited<ReturnType<typeof createKillable>>;

/** A run that hangs is ended after this, as no crash point. */
const patienceMilliseconds = 300_000;

/**
 * A program as one file below `place`, so that a start costs little, and the library that watches and interrupts it. It
 * has ended with its process, or where nothing that it has started runs on, with its output.
 */
export async function createKillable(place: string, source: string, end: "exit" | "close" = "close") {
  const program = await bundle(place, source);
  let compiled: string | undefined;
  const library = (): string => {
    compiled ??= compileKillAt(place);
    return compiled;
  };
  const run = (words: readonly string[], environment: Record<string, string> = {}): Promise<Ended> => {
    const child = spawn(process.execPath, [program, ...words], {
      env: { ...process.env, ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
      });
    const timer = setTimeout(() => child.kill("SIGABRT"), patienceMilliseconds);
    return new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once(end, (code: number | null, signal: NodeJS.Signals | null) => {
        clearTimeout(timer);
        resolve({ code, signal, output });
      });
    });
  };
  return {
    run,
    /** One whole run, and whatever it would leave in the directory. */
    watch: (words: readonly string[], options: Omit<WatchOptions<Ended>, "library" | "start">) =>
      watchRun({ ...options, library: library(), start: (environment) => run(words, environment) }),
    /** Interrupts it at the Nth call that changes files under the directory. */
    interrupted: (
      words: readonly string[],
      { directory, at, how }: { directory: string; at: number; how: Interruption },
    ) =>
      run(words, {
        ...{ LD_PRELOAD: library(), UV_USE_IO_URING: "0", KILL_AT_DIRECTORY: directory },
        ...{ KILL_AT_COUNT: String(at), KILL_AT_HOW: how },
      }),
  };
}
