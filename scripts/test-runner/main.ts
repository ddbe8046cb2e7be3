/**
 * Compiles test files and runs them, three at a time since many of them wait. Ends by itself whatever they do: node's own
 * runner ends a file that takes too long with SIGTERM alone, and waits for ever for one that does not heed it.
 */
import { join } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { parseArgs } from "node:util";
import { compileTests } from "./compile.ts";
import { commandOf, killTree, startedHere } from "./processes.ts";
import { sourcePlaces } from "./source-places.ts";

const { values, positionals: files } = parseArgs({
  allowPositionals: true,
  options: {
    into: { type: "string", default: ".cache/tests" },
    "file-seconds": { type: "string", default: "600" },
    "whole-seconds": { type: "string", default: "1500" },
  },
});
const fileSeconds = Number(values["file-seconds"]);
const wholeSeconds = Number(values["whole-seconds"]);

/** Seconds between looks at the files that run. */
const lookSeconds = 2;
/** Seconds for the summary, once everything was ended. */
const graceSeconds = 10;

const root = process.cwd();
const directory = join(root, values.into);
/** Started by tests, once for each command that they try. */
const programs = ["test/cli/steward-process.ts"];
const compiled = (await compileTests(root, values.into, [...files, ...programs])).slice(0, files.length);
process.env.STEWARD_COMPILED_TESTS = directory;
const withSources = sourcePlaces(root, directory);

/** In the environment of all that this run starts. */
const mark = `STEWARD_TEST_RUN=${process.pid}`;
process.env.STEWARD_TEST_RUN = String(process.pid);

const whole = new AbortController();
let status = 0;
watchFiles();
setTimeout(endAll, wholeSeconds * 1_000);
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => leave(1));

const events = run({ files: compiled, concurrency: 3, signal: whole.signal });
events.on("test:fail", ({ todo }) => {
  if (todo === undefined || todo === false) status = 1;
});
for await (const text of events.compose(new spec())) process.stdout.write(withSources(String(text)));
leave(whole.signal.aborted ? 1 : status);

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
  say(`not done after ${wholeSeconds} s: the rest is cancelled`);
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
  // What was written goes out first.
  process.stdout.write("", () => process.exit(code));
}

function say(text: string): void {
  process.stderr.write(`tests: ${withSources(text)}\n`);
}
