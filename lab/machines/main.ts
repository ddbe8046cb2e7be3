/**
 * main.ts TIER [NAME…]: runs the scenarios named, or all of a tier, at most two at once; prints the count, and ends with 1
 * when one failed. --build-only: builds the image only.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { prepareImage } from "./image.ts";
import type { Scenario, TierName } from "./scenario.ts";
import { scenariosOf } from "./scenarios.ts";
import { tiers } from "./tiers.ts";

const root = join(import.meta.dirname, "../..");
const machinesAtOnce = Math.min(2, availableParallelism());
const [tierName, ...wanted] = process.argv.slice(2) as [TierName, ...string[]];
const tier = tiers[tierName];
const running = new Set<ChildProcess>();
const say = (line: string) => void process.stdout.write(`${tier.target}: ${line}\n`);

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    for (const child of running) child.kill("SIGKILL");
    process.exit(130);
  });
}
try {
  if (tier.withoutRoot !== undefined && process.getuid?.() !== 0) throw new Error(tier.withoutRoot);
  if (wanted[0] === "--build-only") prepareImage(tier.image("appliance"), say);
  else process.exitCode = await runAll(chosen(await scenariosOf(tierName)));
} catch (error) {
  process.stderr.write(`${tier.target}: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

/** Those that are named, else all but the slow ones, which are named in the output. */
function chosen(all: ReadonlyMap<string, Scenario>): [string, Scenario][] {
  const unknown = wanted.filter((name) => !all.has(name));
  if (unknown.length > 0)
    throw new Error(`no such scenario: ${unknown.join(" ")} (there are: ${[...all.keys()].join(" ")})`);
  if (wanted.length > 0) return [...all].filter(([name]) => wanted.includes(name));
  const slow = [...all].filter(([, { slowMinutes }]) => slowMinutes !== undefined);
  const names = slow.map(([name, { slowMinutes }]) => `${name} (${slowMinutes} minutes)`);
  if (slow.length > 0) say(`run only when they are named: ${names.join(", ")}`);
  return [...all].filter(([, { slowMinutes }]) => slowMinutes === undefined);
}

async function runAll(scenarios: readonly [string, Scenario][]): Promise<number> {
  const unpack = [join(root, "scripts/unpack-chrony.sh")];
  const chrony = execFileSync("sh", unpack, { cwd: root, encoding: "utf8" }).trim();
  const waiting: { name: string; image: string }[] = [];
  for (const [name, { machine = "appliance", prepare }] of scenarios) {
    waiting.push({ name, image: prepareImage(tier.image(machine), say) });
    await prepare?.();
  }
  const failed: string[] = [];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const directory = join(root, ".cache", tier.logs, next.name);
      const isPassed = await runOne(directory, [next.name, next.image, chrony, directory]);
      tier.cleanUp?.(directory);
      if (isPassed) continue;
      failed.push(next.name);
      say(`the logs of ${next.name} are in ${directory}`);
    }
  };
  await Promise.all(Array.from({ length: machinesAtOnce }, work));
  const names = failed.length > 0 ? `; failed: ${failed.join(" ")}` : "";
  say(`${scenarios.length - failed.length} of ${scenarios.length} scenarios passed${names}`);
  return failed.length > 0 ? 1 : 0;
}

/** Resolves to whether it passed. */
function runOne(directory: string, args: readonly string[]): Promise<boolean> {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const [command = "", ...words] = tier.confined(directory);
  const program = ["--import", "tsx", join(import.meta.dirname, "run-one.ts"), tierName, ...args];
  const child = spawn(command, [...words, process.execPath, ...program], {
    cwd: root,
    stdio: ["pipe", "inherit", "inherit"],
  });
  running.add(child);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => {
      running.delete(child);
      resolve(code === 0);
    });
  });
}
