import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atEnd, type Ending } from "../basics/ending.ts";
import { testProgram } from "../basics/test-program.ts";
import { until } from "../basics/until.ts";

const root = join(import.meta.dirname, "../..");

/** `make run` starts this, at a port that is free and with another place than ./var. */
export interface Run {
  /** It is like the checkout for a reader: `make run` writes into its folder `var`. */
  readonly directory: string;
  readonly url: string;
  readonly printed: () => string;
  /** Ctrl-C. Settles when it has ended. */
  readonly stop: () => Promise<void>;
}

/** By these words `make run` starts it. */
const asMakeDoes = ["--import", "tsx", join(root, "lab/run/main.ts")];

/** The same compiled, in a third of the processor time. */
export const compiledRun = testProgram(join(import.meta.dirname, "make-run-process.ts"));

export interface RunOptions {
  readonly program?: readonly string[];
  /** That of a run before; a new one when absent. */
  readonly directory?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Starts the script of `make run` and waits until it says what to do next; it ends with the test or suite. */
export async function startRun(ending: Ending, options: RunOptions = {}): Promise<Run> {
  const { program = asMakeDoes, directory, environment } = options;
  const home = directory ?? (await mkdtemp(join(tmpdir(), "steward-run-")));
  if (directory === undefined) atEnd(ending, () => rm(home, { recursive: true, force: true }));
  const place = join(home, "var");
  const run = spawn(process.execPath, [...program, "--port", "0", "--directory", place], {
    stdio: ["ignore", "pipe", "pipe"],
    cwd: root,
    env: { ...process.env, ...environment },
  });
  const [printed, logged] = [run.stdout, run.stderr].map(collect);
  const stop = async () => {
    if (run.exitCode === null && run.signalCode === null) run.kill("SIGINT");
    if (run.exitCode === null && run.signalCode === null)
      await new Promise((resolve) => run.once("exit", resolve));
  };
  atEnd(ending, stop);
  await until("make run says what to do next", () => {
    if (run.exitCode !== null) throw new Error(`it has ended: ${logged?.()}`);
    return /\n\n$/.test(printed?.() ?? "");
  });
  const [, url = ""] = /listens on (http:\S+)/.exec(printed?.() ?? "") ?? [];
  return { directory: home, url, printed: () => printed?.() ?? "", stop };
}

function collect(stream: NodeJS.ReadableStream): () => string {
  let text = "";
  stream.setEncoding("utf8").on("data", (piece: string) => {
    text += piece;
  });
  return () => text;
}
