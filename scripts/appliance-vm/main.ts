/** make vm-test: runs the scenarios named, or all, at most two machines at once, and exits non-zero when one failed. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { prepareImage } from "./image.ts";

const root = join(import.meta.dirname, "../..");
const machinesAtOnce = Math.min(2, availableParallelism());
const running = new Set<ChildProcess>();

// As root, so that the namespace is one's own; mapped, so that no capability reaches this machine's clock.
const namespace = ["--map-root-user", "--net", "--pid", "--fork", "--kill-child=SIGKILL"];

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    for (const child of running) child.kill("SIGKILL");
    process.exit(130);
  });
}

try {
  process.exitCode = await runAll(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`vm-test: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

async function runAll(wanted: readonly string[]): Promise<number> {
  const image = prepareImage((line) => process.stdout.write(`vm-test: ${line}\n`));
  if (wanted[0] === "--build-only") return 0;
  const all = readdirSync(join(import.meta.dirname, "scenarios"))
    .filter((file) => file.endsWith(".ts"))
    .map((file) => file.slice(0, -".ts".length));
  const unknown = wanted.filter((name) => !all.includes(name));
  if (unknown.length > 0)
    throw new Error(`no such scenario: ${unknown.join(" ")} (there are: ${all.join(" ")})`);
  const chrony = execFileSync("sh", [join(root, "scripts/unpack-chrony.sh")], {
    cwd: root,
    encoding: "utf8",
  }).trim();
  const waiting = wanted.length > 0 ? [...wanted] : all;
  const total = waiting.length;
  const failed: string[] = [];
  const work = async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      if (!(await runOne(name, dirname(image.disk), chrony))) failed.push(name);
    }
  };
  await Promise.all(Array.from({ length: machinesAtOnce }, work));
  process.stdout.write(
    `vm-test: ${total - failed.length} of ${total} scenarios passed${failed.length > 0 ? `; failed: ${failed.join(" ")}` : ""}\n`,
  );
  return failed.length > 0 ? 1 : 0;
}

/** Resolves to whether it passed. */
function runOne(name: string, image: string, chrony: string): Promise<boolean> {
  const directory = join(root, ".cache/appliance-vm-runs", name);
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const program = [join(import.meta.dirname, "run-scenario.ts"), name, image, chrony, directory];
  const begin = 'ip link set lo up && exec "$0" "$@"';
  const child = spawn(
    "unshare",
    [...namespace, "sh", "-c", begin, process.execPath, "--import", "tsx", ...program],
    {
      cwd: root,
      stdio: ["pipe", "inherit", "inherit"],
    },
  );
  running.add(child);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => {
      running.delete(child);
      if (code !== 0) process.stdout.write(`vm-test: the logs of ${name} are in ${directory}\n`);
      resolve(code === 0);
    });
  });
}
