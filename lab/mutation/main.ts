/**
 * Puts faults into the code that security, time, updates and the stored state hang on, one at a time, and counts how many
 * of them the tests of their room notice. Draws a sample by STEWARD_SEED; STEWARD_MUTANTS gives its size, or `all`.
 * Arguments: names of rooms.
 */
import { randomInt } from "node:crypto";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { compileTests } from "../../scripts/test-runner/compile.ts";
import { createChance } from "../basics/chance.ts";
import { linesOf } from "../basics/table.ts";
import { readTrace } from "./coverage.ts";
import { instrument, type Mutant } from "./instrument.ts";
import { runTestFile } from "./trials.ts";

/** Folders, and which of their files. */
type Files = readonly [folder: string, files: RegExp];

interface Room {
  readonly name: string;
  readonly sources: Files;
  readonly tests: readonly Files[];
}

/** Percent of the faults drawn that tests of a room must notice. Some change nothing, which no test can notice. */
const floor = 85;

/** A room with the tests of its own folder, and others. */
const room = (name: string, ...others: readonly Files[]): Room => ({
  ...{ name, sources: [`src/${name}`, /(?<!\.d)\.ts$/], tests: [[`test/${name}`, /\.test\.ts$/], ...others] },
});

const rooms: readonly Room[] = [
  // Only a whole agent shows these: settings that are refused, channels, the status, reports.
  room("updates", ["test/end-to-end/updates", /\.test\.ts$/]),
  {
    ...room("store"),
    tests: [
      // The others look at the built program, or at a writer that is bundled again: these hold no fault.
      ["test/store", /^(?!(damage|full-disk|kill|power-cut|read-only|rescue|slow-disk)\.).*\.test\.ts$/],
      // The words about every form of the contract.
      ["test/contract", /^schemas\.test\.ts$/],
    ],
  },
  room("device/configuration"),
  // Whole sign-ins, tokens of provisioning and of fleets, sealed factors on another device.
  room(
    "accounts",
    ["test/end-to-end/sign-in", /^(challenges|credential|rescue-token|setup|sign-in)\.test\.ts$/],
    ["test/end-to-end/users", /^(fleet-tokens|stolen-account)\.test\.ts$/],
    ["test/end-to-end", /^copied-state\.test\.ts$/],
    ["test/device/configuration", /^apply\.test\.ts$/],
  ),
  // A whole refresh against a hostile server, and the root that it begins with.
  room(
    "tuf",
    ["test/updates/attacks", /^attacks-(delegations|forms|signatures|time|versions)\.test\.ts$/],
    ["test/updates/trust", /\.test\.ts$/],
  ),
  // The program that crash points end is built from the sources as they are: it holds no fault.
  { ...room("installer"), tests: [["test/installer", /^(?!crash-points-).*\.test\.ts$/]] },
  room("releases", ["test/installer", /^agent-rollback\.test\.ts$/]),
  {
    name: "select",
    sources: ["src/clock/select", /^select.*\.ts$/],
    tests: [
      ["test/clock/select", /^select\.test\.ts$/],
      ["test/scenarios", /^sources\.test\.ts$/],
    ],
  },
  { ...room("clock/nts"), name: "nts" },
  room("outbox", ["test/programs", /^notifications\.test\.ts$/]),
];

/** Faults drawn in all, the rooms taking part by how many they have. */
const usualSample = 300;
/** Faults drawn besides in a room that is below its floor by the first ones: fewer than 100 may be so by chance. */
const furtherSample = 300;
/** Seconds of a processor that a test file may take without a fault: each survivor that it comes through costs as much. */
const longestSeconds = 15;

const root = process.cwd();
/** Programs that tests start as processes of their own. */
const programs = ["test", "lab"].flatMap((directory) => filesOf([directory, /-process\.ts$/]));
const [packages = "", ...chosen] = process.argv.slice(2);
const seed = Number(process.env.STEWARD_SEED ?? randomInt(2 ** 31));
const sample = process.env.STEWARD_MUTANTS ?? String(usualSample);
console.log(`seed ${seed}: STEWARD_SEED=${seed} draws the same faults again`);

type Prepared = Awaited<ReturnType<typeof prepare>>;
type Score = { drawn: number; noticed: number };

const prepared: Prepared[] = [];
for (const room of rooms) {
  if (chosen.length > 0 && !chosen.includes(room.name)) continue;
  prepared.push(await prepare(room));
}
const order = inRandomOrder(prepared.flatMap((of) => of.mutants.map((mutant) => ({ mutant, of }))));
const survivors: Mutant[] = [];
const scores = new Map<string, Score>();
const first = sample === "all" ? order.length : Number(sample);
await judge(order.slice(0, first));
for (const of of prepared.filter(isBelowFloor)) {
  const further = order.slice(first).filter((one) => one.of === of);
  await judge(further.slice(0, furtherSample));
}
tell();

async function judge(faults: typeof order): Promise<void> {
  await inParallel(faults, async ({ mutant, of }) => {
    const score = scores.get(of.room.name) ?? { drawn: 0, noticed: 0 };
    scores.set(of.room.name, score);
    const isNoticed = await notice(of, mutant);
    score.drawn += 1;
    if (isNoticed) score.noticed += 1;
    else survivors.push(mutant);
  });
}

function isBelowFloor({ room: { name } }: Prepared): boolean {
  const score = scores.get(name);
  return score !== undefined && percentOf(score) < floor;
}

/** Compiles a room's tests over sources that hold every fault, and runs each file once without one. */
async function prepare(room: Room) {
  const { mutants, contents } = await instrument(root, packages, filesOf(room.sources));
  const directory = `.cache/mutation/${room.name}`;
  const files = room.tests.flatMap(filesOf);
  mkdirSync(join(root, directory), { recursive: true });
  const compiled = await compileTests(root, directory, [...files, ...programs], {
    contents,
    firstImport: join(root, "lab/mutation/coverage.ts"),
  });
  /** The fastest first, with the faults that each comes through. */
  const tests: { file: string; seconds: number; covered: ReadonlySet<string> }[] = [];
  await inParallel(compiled.slice(0, files.length), async (file) => {
    const coverage = `${file}.covered`;
    const begun = performance.now();
    const ending = await runTestFile(file, 600, { directory: join(root, directory), coverage });
    const seconds = (performance.now() - begun) / 1_000;
    if (ending !== "passed") throw new Error(`${file} ${ending} without any fault`);
    const { faults, processorSeconds } = readTrace(coverage);
    if (processorSeconds <= longestSeconds) tests.push({ file, seconds, covered: new Set(faults) });
    else console.log(`  left out, since it takes ${processorSeconds.toFixed(0)} s: ${file}`);
  });
  console.log(`${room.name}: ${mutants.length} faults, ${tests.length} test files`);
  return { room, mutants, tests: tests.toSorted((one, other) => one.seconds - other.seconds) };
}

/** True when a test fails, or does not end, with this fault. */
async function notice({ room, tests }: Prepared, { id }: Mutant): Promise<boolean> {
  const directory = join(root, ".cache/mutation", room.name);
  for (const { file, seconds, covered } of tests) {
    if (!covered.has(id)) continue;
    if ((await runTestFile(file, 20 + 10 * seconds, { directory, mutant: id })) !== "passed") return true;
  }
  return false;
}

function filesOf([folder, files]: Files): string[] {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" });
  return names
    .filter((name) => files.test(name))
    .sort()
    .map((name) => `${folder}/${name}`);
}

/** In an order that the seed decides. */
function inRandomOrder<T>(all: readonly T[]): readonly T[] {
  const { uniform } = createChance(seed);
  return all
    .map((one) => ({ one, order: uniform() }))
    .toSorted((first, second) => first.order - second.order)
    .map(({ one }) => one);
}

async function inParallel<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const waiting = [...all];
  const next = async (): Promise<void> => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) await work(one);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, next));
}

function tell(): void {
  const order = (one: Mutant, other: Mutant) => one.file.localeCompare(other.file) || one.line - other.line;
  for (const { file, line, kind, replacement } of survivors.toSorted(order)) {
    console.log(`survived: ${file}:${line} ${kind} -> ${replacement}`);
  }
  const rows = [...scores].toSorted(([one], [other]) => one.localeCompare(other));
  const sum = (of: keyof Score) => rows.reduce((total, [, score]) => total + score[of], 0);
  const all = { drawn: sum("drawn"), noticed: sum("noticed") };
  const cellsOf = (score: Score) => [score.drawn, score.noticed, percentOf(score).toFixed(1)];
  const lines = linesOf([
    ["room", "faults", "noticed", "score, %", "at least"],
    ...rows.map(([name, score]) => [name, ...cellsOf(score), floor]),
    ["all", ...cellsOf(all), ""],
  ]);
  console.log(`\n${lines.join("\n")}`);
  rmSync(join(root, ".cache/mutation"), { recursive: true, force: true });
  process.exitCode = prepared.some(isBelowFloor) ? 1 : 0;
}

function percentOf({ drawn, noticed }: Score): number {
  return (100 * noticed) / drawn;
}
