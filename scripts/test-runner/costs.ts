/**
 * Notes the cost of each test file. Its own process does so at its end; the notes of one run give the next one its
 * order.
 */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { ownProcessorSeconds, startMeter } from "./processor-time.ts";
import type { TestProcess } from "./shared-processes.ts";

/** The cost of one file. Processor time is user and system time, with that of all processes that the file has started. */
export interface Cost {
  readonly file: string;
  /** The life of its process, in seconds. */
  readonly id: number;
  readonly processorSeconds: number;
  readonly seconds: number;
}

/** Names the notes of a run to all that it starts. */
const notesVariable = "STEWARD_TEST_COSTS";

/** A file that was never measured: one that starts a browser takes longer than most. */
const browserTests = "test/console/";

/** Begins the notes of a run in the file `path`. */
export function beginNotes(path: string): void {
  writeFileSync(path, "");
  process.env[notesVariable] = path;
}

/** Called in the process of a test file, before its tests. */
export function noteOwnCost(file: string): void {
  const path = process.env[notesVariable];
  if (path === undefined) return;
  const begun = ownProcessorSeconds();
  // A control group of its own, which the run's counts with.
  const meter = startMeter();
  process.once("exit", () => {
    const processorSeconds = begun + meter.seconds();
    const cost: Cost = { file, id: process.pid, processorSeconds, seconds: performance.now() / 1_000 };
    appendFileSync(path, `${JSON.stringify(cost)}\n`);
  });
}

/** The notes of a run; none where it was never made. */
export function readNotes(path: string): Cost[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n").filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Cost);
}

/** The longest first, so that none of them is left over for the end; what was never measured before all others. */
export function longestFirst(processes: readonly TestProcess[], former: readonly Cost[]): TestProcess[] {
  const known = new Map(former.map(({ file, seconds }) => [file, seconds]));
  const expected = ({ files }: TestProcess): number => {
    const [seconds] = files.flatMap((file) => known.get(file) ?? []);
    const isBrowser = files.some((file) => file.startsWith(browserTests));
    return seconds ?? (isBrowser ? Number.MAX_VALUE : Number.MAX_SAFE_INTEGER);
  };
  return processes.toSorted((one, other) => expected(other) - expected(one));
}

/** Lines of a table of the `most` slowest files. */
export function costTable(costs: readonly Cost[], most: number): string[] {
  const row = (processor: string, whole: string, name: string) =>
    `  ${processor.padStart(11)}${whole.padStart(9)}  ${name}`;
  const slowest = costs.toSorted((one, other) => other.seconds - one.seconds).slice(0, most);
  return [
    `The ${slowest.length} slowest of ${costs.length} files:`,
    row("processor s", "s", "file"),
    ...slowest.map((cost) => row(cost.processorSeconds.toFixed(1), cost.seconds.toFixed(1), cost.file)),
  ];
}
