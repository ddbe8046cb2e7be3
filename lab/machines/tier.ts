import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { type ImageRecipe, prepareImage } from "./image.ts";
import type { MachineKind, Scenario } from "./scenario.ts";

const root = join(import.meta.dirname, "../..");
const machinesAtOnce = Math.min(2, availableParallelism());

/** A kind of machine with the scenarios that run in it. */
export interface Tier {
  /** The make target, printed before each line. */
  readonly name: string;
  readonly image: (machine: MachineKind) => ImageRecipe;
  /** Runs one scenario: NAME IMAGE-FOLDER CHRONY-FOLDER DIRECTORY. The folder scenarios/ is beside it. */
  readonly program: string;
  /** The folder below .cache for the logs of the scenarios. */
  readonly logs: string;
  /** The words before a command that give it namespaces of its own, with this directory for its logs. */
  readonly confined: (directory: string) => readonly string[];
  /** Removes the leftovers of a scenario. */
  readonly cleanUp?: (directory: string) => void;
}

/** Runs the scenarios named, or all, at most two at once; prints the count, and sets the exit code: 1 when one failed. */
export async function runTier(tier: Tier): Promise<void> {
  const running = new Set<ChildProcess>();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      for (const child of running) child.kill("SIGKILL");
      process.exit(130);
    });
  }
  try {
    process.exitCode = await runAll(tier, process.argv.slice(2), running);
  } catch (error) {
    process.stderr.write(`${tier.name}: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}

async function runAll(tier: Tier, wanted: readonly string[], running: Set<ChildProcess>): Promise<number> {
  const say = (line: string) => process.stdout.write(`${tier.name}: ${line}\n`);
  if (wanted[0] === "--build-only") {
    prepareImage(tier.image("appliance"), say);
    return 0;
  }
  const all = readdirSync(join(dirname(tier.program), "scenarios"))
    .filter((file) => file.endsWith(".ts"))
    .map((file) => file.slice(0, -".ts".length));
  const unknown = wanted.filter((name) => !all.includes(name));
  if (unknown.length > 0)
    throw new Error(`no such scenario: ${unknown.join(" ")} (there are: ${all.join(" ")})`);
  const unpack = [join(root, "scripts/unpack-chrony.sh")];
  const chrony = execFileSync("sh", unpack, { cwd: root, encoding: "utf8" }).trim();
  const waiting = wanted.length > 0 ? [...wanted] : await quickOnes(tier, all, say);
  const images = new Map<string, string>();
  for (const name of waiting) {
    const { machine = "appliance", prepare } = await scenarioOf(tier, name);
    images.set(name, prepareImage(tier.image(machine), say));
    await prepare?.();
  }
  const total = waiting.length;
  const failed: string[] = [];
  const work = async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const directory = join(root, ".cache", tier.logs, name);
      const image = images.get(name) ?? "";
      const isPassed = await runOne(tier, { name, image, chrony, directory }, running);
      tier.cleanUp?.(directory);
      if (isPassed) continue;
      failed.push(name);
      say(`the logs of ${name} are in ${directory}`);
    }
  };
  await Promise.all(Array.from({ length: machinesAtOnce }, work));
  const names = failed.length > 0 ? `; failed: ${failed.join(" ")}` : "";
  say(`${total - failed.length} of ${total} scenarios passed${names}`);
  return failed.length > 0 ? 1 : 0;
}

async function scenarioOf(tier: Tier, name: string): Promise<Scenario> {
  const module = join(dirname(tier.program), "scenarios", `${name}.ts`);
  return ((await import(module)) as { scenario: Scenario }).scenario;
}

/** All but the slow ones, which it names. */
async function quickOnes(tier: Tier, all: readonly string[], say: (line: string) => void): Promise<string[]> {
  const [quick, slow]: [string[], string[]] = [[], []];
  for (const name of all) {
    const { slowMinutes } = await scenarioOf(tier, name);
    if (slowMinutes === undefined) quick.push(name);
    else slow.push(`${name} (${slowMinutes} minutes)`);
  }
  if (slow.length > 0) say(`run only when they are named: ${slow.join(", ")}`);
  return quick;
}

interface One {
  readonly name: string;
  readonly image: string;
  readonly chrony: string;
  readonly directory: string;
}

/** Resolves to whether it passed. */
function runOne(
  tier: Tier,
  { name, image, chrony, directory }: One,
  running: Set<ChildProcess>,
): Promise<boolean> {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const [command = "", ...words] = tier.confined(directory);
  const program = [process.execPath, "--import", "tsx", tier.program, name, image, chrony, directory];
  const child = spawn(command, [...words, ...program], { cwd: root, stdio: ["pipe", "inherit", "inherit"] });
  running.add(child);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => {
      running.delete(child);
      resolve(code === 0);
    });
  });
}
