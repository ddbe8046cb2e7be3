/**
 * Compiles test files and runs them, one more at a time than there are processors since many of them wait.
 *
 * The runner always ends: node's own ends a file that takes too long only with SIGTERM, and waits for ever for one that does
 * not heed it. The limits are for files that hang, not for slow machines.
 */
import { randomInt } from "node:crypto";
import { readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { run } from "node:test";
import { compileTests } from "./compile.ts";
import { killMarked } from "./processes.ts";
import { Report } from "./report.ts";
import { entryOf, processesOf } from "./shared-processes.ts";
import { sourcePlaces } from "./source-places.ts";
import { makeTemporaryDirectory } from "./temporary-files.ts";

/** All of each test's cases, and new random numbers. */
const isWhole = process.env.STEWARD_TEST_ALL === "1";

/**
 * Seconds for a process. The longest takes 100 on two cores and five times that on a quarter of one, on a machine half as
 * fast twice that; with all cases of each test some take several times as long.
 */
const fileSeconds = isWhole ? 3_600 : 1_200;
const wholeSeconds = isWhole ? 14_400 : 3_600;

/** Seconds for the summary, once everything was ended. */
const graceSeconds = 10;

/** These take longest: begun last, one of them would be all that runs at the end. */
const longest = /^test\/(build|console|docs|end-to-end)\//;

const [directoryName = "", ...files] = process.argv.slice(2);
const temporary = makeTemporaryDirectory();
const root = process.cwd();
const directory = join(root, directoryName);
const withSources = sourcePlaces(root, directory);

/** In the environment of all that this run starts. */
const mark = `STEWARD_TEST_RUN=${process.pid}`;
process.env.TMPDIR = temporary.directory;
process.env.STEWARD_TEST_RUN = String(process.pid);
process.env.STEWARD_COMPILED_TESTS = directory;
process.env.STEWARD_SEED ??= String(isWhole ? randomInt(2 ** 31) : 1);

const ended = new AbortController();
setTimeout(endAll, wholeSeconds * 1_000);
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => leave(1));

say(`seed ${process.env.STEWARD_SEED}: with STEWARD_SEED set to it, a run draws the same numbers again`);
const compiled = await compile();
const report = new Report((text) => process.stdout.write(`${withSources(text)}\n`));
const waiting = processesOf(files).toSorted(
  (one, other) => Number(longest.test(other.name)) - Number(longest.test(one.name)),
);
const begun = performance.now();
await Promise.all(Array.from({ length: availableParallelism() + 1 }, runNext));
await report.tellEnd((performance.now() - begun) / 1_000);
leave(ended.signal.aborted || report.hasFailures() ? 1 : 0);

/** Compiles the files, and the programs that tests start as processes of their own. */
async function compile(): Promise<(file: string) => string> {
  const programs = ["test", "lab"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith("-process.ts"))
      .map((path) => join(folder, path)),
  );
  const paths = await compileTests(root, directoryName, [...files, ...programs]);
  return (file) => paths[files.indexOf(file)] ?? file;
}

/** One process a run of its own: within one, node tells of a file only when those before it have ended. */
async function runNext(): Promise<void> {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    if (ended.signal.aborted) return;
    const entry = entryOf(directory, next, compiled);
    const events = run({ files: [entry], signal: ended.signal, timeout: fileSeconds * 1_000 });
    await report.takeProcess(next.name, next.files.map(compiled), events);
  }
}

function endAll(): void {
  say(`not done after ${wholeSeconds} s: what runs is ended, and ${waiting.length} processes are not begun`);
  ended.abort();
  killMarked(mark);
  setTimeout(() => leave(1), graceSeconds * 1_000);
}

/** With nothing of this run left behind. */
function leave(code: number): void {
  for (const words of killMarked(mark)) say(`left behind, and killed: ${words}`);
  temporary.remove();
  // The process exits only when its output is written.
  process.stdout.write("", () => process.exit(code));
}

function say(text: string): void {
  process.stderr.write(`tests: ${withSources(text)}\n`);
}
