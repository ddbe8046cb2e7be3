import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { commandTable } from "../../src/publisher/command-table.ts";
import { runProgram } from "../../src/terminal/commands/run.ts";
import { capture, type Ended } from "../basics/captured-streams.ts";
import { fakedTime } from "../basics/faketime.ts";
import { testProgram } from "../basics/test-program.ts";

/** The words that start steward-publisher as a process of its own. */
export const publisherCommand: readonly string[] = [
  process.execPath,
  ...testProgram(join(import.meta.dirname, "publisher-process.ts")),
];

/** Runs steward-publisher in this process until it ends. */
export function runPublisher(words: readonly string[]): Promise<Ended> {
  return capture("", (streams) =>
    runProgram(words, commandTable, { ...streams, program: { version: "0.1.0" } }),
  );
}

/** Runs steward-publisher as a process whose clock libfaketime has set. */
export function runPublisherAt(time: string, words: readonly string[]): Ended {
  const [program = "", ...rest] = [...publisherCommand, ...words];
  const env = { ...process.env, ...fakedTime(time), TZ: "UTC" };
  const { status, stdout, stderr } = spawnSync(program, rest, { encoding: "utf8", env });
  return { code: status, stdout, stderr };
}
