/**
 * Compiles test files and runs them, one more at a time than there are processors since many of them wait. With three
 * more, two processors took an eighth more time for the same tests, and ended no sooner.
 *
 * The runner always ends: node's own runner ends one that takes too long only with SIGTERM, and waits for
 * ever for one that does not heed it. The limits are for files that hang, not for slow machines.
 */

import { randomInt } from "node:crypto";
import { readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { run } from "node:test";
import { parseArgs } from "node:util";
import { compileTests } from "./compile.ts";
import { beginNotes, costTable, longestFirst, readNotes } from "./costs.ts";
import { commandOf, killTree, startedHere } from "./processes.ts";
import { startMeter, watchChildren } from "./processor-time.ts";
import { Report } from "./report.ts";
import { entryOf, processesOf } from "./shared-processes.ts";
import { sourcePlaces } from "./source-places.ts";
import { beginTemporaryFiles } from "./temporary-files.ts";

/**
 * Seconds for a process. The longest takes 100 on two cores and five times that on a quarter of one, on a machine half as
 * fast twice that; with all cases of each test some take several times as long.
 */
const usualFileSeconds = process.env.STEWARD_TEST_ALL === "1" ? "3600" : "1200";

const { values, positionals: files } = parseArgs({
  allowPositionals: true,
  options: {
    into: { type: "string", default: ".cache/tests" },
    "file-seconds": { type: "string", default: usualFileSeconds },
    "whole-seconds": { type: "string", default: "3600" },
  },
});
const fileSeconds = Number(values["file-seconds"]);
const wholeSeconds = Number(values["whole-seconds"]);

/** Seconds between looks at the files that run. */
const lookSeconds = 2;
/** Seconds for the summary, once everything was ended. */
const graceSeconds = 10;

/** The end lists so many of the slowest files. */
const toldFiles = 15;

const meter = startMeter();
const secondsOf = meter.isPartial ? watchChildren() : () => 0;
const removeTemporaryFiles = beginTemporaryFiles();
const root = process.cwd();
const directory = join(root, values.into);
const notes = `${directory}.costs`;
const processes = longestFirst(processesOf(files), readNotes(notes));
/** Started by tests as processes of their own. */
const programs = ["test", "lab"].flatMap((directory) =>
  readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith("-process.ts"))
    .map((path) => join(directory, path)),
);
const paths = await compileTests(root, values.into, [...files, ...programs]);
const compiled = new Map(files.map((file, index) => [file, paths[index] ?? file]));
process.env.STEWARD_COMPILED_TESTS = directory;
process.env.STEWARD_SEED ??= String(process.env.STEWARD_TEST_ALL === "1" ? randomInt(2 ** 31) : 1);
beginNotes(notes);
const withSources = sourcePlaces(root, directory);

/** In the environment of all that this run starts. */
const mark = `STEWARD_TEST_RUN=${process.pid}`;
process.env.STEWARD_TEST_RUN = String(process.pid);

const whole = new AbortController();
let status = 0;
watchFiles();
setTimeout(endAll, wholeSeconds * 1_000);
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => leave(1));

say(`seed ${process.env.STEWARD_SEED}: with STEWARD_SEED set to it, a run draws the same numbers again`);
const report = new Report((text) => process.stdout.write(`${withSources(text)}\n`));
const begun = performance.now();
const waiting = [...processes];
await Promise.all(Array.from({ length: availableParallelism() + 1 }, runNext));
const seconds = (performance.now() - begun) / 1_000;
const used = `Processor time ${meter.of}: ${(meter.seconds() / 60).toFixed(1)} minutes.`;
// The cost of a process is noted for the file of it that is evaluated first.
const nameOf = new Map(processes.flatMap(({ name, files: own }) => own.map((file) => [file, name])));
const costs = readNotes(notes).map((cost) => ({
  ...cost,
  file: nameOf.get(cost.file) ?? cost.file,
  processorSeconds: Math.max(cost.processorSeconds, secondsOf(cost.id)),
}));
await report.tellEnd([...costTable(costs, toldFiles), used], seconds);
leave(whole.signal.aborted || report.hasFailures() ? 1 : status);

/** One process a run of its own: within one, node tells of a file only when those before it have ended. */
async function runNext(): Promise<void> {
  const compiledOf = (file: string): string => compiled.get(file) ?? file;
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    if (whole.signal.aborted) return;
    const entry = entryOf(directory, next, compiledOf);
    const events = run({ files: [entry], signal: whole.signal });
    await report.takeProcess(next.name, next.files.map(compiledOf), events);
  }
}

/** Each file is a child of this process; what a file has left behind may hold its output, and is waited for then. */
function watchFiles(): void {
  let firstSeen = new Map<number, number>();
  setInterval(() => {
    const now = performance.now();
    firstSeen = new Map(startedHere(mark).map((id) => [id, firstSeen.get(id) ?? now]));
    for (const [id, since] of firstSeen) {
      if (now - since < fileSeconds * 1_000) continue;
      const words = commandOf(id);
      status = 1;
      say(`after ${fileSeconds} s, killed with ${killTree(id) - 1} children: ${words}`);
    }
  }, lookSeconds * 1_000);
}

function endAll(): void {
  say(
    `not done after ${wholeSeconds} s: what runs is cancelled, and ${waiting.length} processes are not begun`,
  );
  whole.abort();
  for (const id of startedHere(mark)) killTree(id);
  setTimeout(() => leave(1), graceSeconds * 1_000);
}

/** With nothing of this run left behind. */
function leave(code: number): void {
  for (const id of startedHere(mark)) {
    const words = commandOf(id);
    say(`left behind, and killed with ${killTree(id) - 1} children: ${words}`);
  }
  meter.end();
  removeTemporaryFiles();
  // The process exits only when its output is written.
  process.stdout.write("", () => process.exit(code));
}

function say(text: string): void {
  process.stderr.write(`tests: ${withSources(text)}\n`);
}
