import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { TestContext } from "node:test";
import { runCommandLine } from "../../src/cli/main.ts";
import { capture, type Ended } from "../basics/captured-streams.ts";
import { atEnd } from "../basics/ending.ts";
import { testProgram } from "../basics/test-program.ts";
import { exampleContext } from "./example-context.ts";

/** The words that start the command line as a process of its own. */
export const stewardCommand: readonly string[] = [
  process.execPath,
  ...testProgram(join(import.meta.dirname, "steward-process.ts")),
];

export interface RunOptions {
  stdin?: string | Buffer;
  environment?: Record<string, string>;
}

/** A command line without the program's name; one text is split at its blanks. */
export type Line = string | readonly string[];

export function wordsOf(line: Line): readonly string[] {
  return typeof line === "string" ? line.split(" ") : line;
}

export function runSteward(line: Line, { stdin = "", environment = {} }: RunOptions = {}): Promise<Ended> {
  const { PATH } = process.env;
  return capture(stdin, (streams) =>
    runCommandLine(wordsOf(line), exampleContext(streams, { PATH, ...environment })),
  );
}

/** The same as a process of its own on real pipes, as another user where one is given. */
export async function runStewardProcess(
  line: Line,
  { stdin = "", environment = {}, uid }: RunOptions & { uid?: number } = {},
): Promise<Ended> {
  const [program = "", ...words] = stewardCommand;
  const child = spawn(program, [...words, ...wordsOf(line)], {
    env: { PATH: process.env.PATH, ...environment },
    ...(uid === undefined ? {} : { uid }),
  });
  // A command that does not read its input may end before all of it is written.
  child.stdin.on("error", () => {});
  child.stdin.end(stdin);
  const closed = once(child, "close");
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  return { code, stdout, stderr };
}

/** A directory of this test's own, removed at its end. */
export function temporaryDirectory(test: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), "steward-cli-"));
  atEnd(test, () => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

export function notedCalls(directory: string): unknown[] {
  const path = join(directory, "calls.jsonl");
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  return lines.map((line): unknown => JSON.parse(line));
}

/** Sets the answers of operations that are done in process on this directory. */
export function writeOffline(directory: string, answers: Record<string, unknown>): void {
  writeFileSync(join(directory, "offline.json"), JSON.stringify(answers));
}
