/** The second half of `make bench`: resident memory that each runtime dependency adds to a node process with http and crypto when loaded alone. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { clearEnvironment } from "./environment.ts";

clearEnvironment();
const root = join(import.meta.dirname, "../..");
const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  dependencies: Record<string, string>;
};
const rounds = 5;

/** MiB of a process that has imported these beside what every server has; each run is a process of its own. */
function residentMiB(packages: readonly string[]): number {
  const imports = ["node:http", "node:crypto", ...packages]
    .map((name) => `await import(${JSON.stringify(name)});`)
    .join("");
  const program = `${imports}console.log(process.memoryUsage.rss() / 1048576)`;
  const runs = Array.from({ length: rounds }, () => {
    const { stdout } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
      cwd: root,
      encoding: "utf8",
    });
    return Number(stdout);
  });
  return runs.sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? Number.NaN;
}

const bare = residentMiB([]);
process.stdout.write("| package | alone, unbundled |\n|---|---|\n");
for (const [name, version] of Object.entries(dependencies)) {
  const added = residentMiB([name]) - bare;
  process.stdout.write(`| ${name} ${version.replace(/^npm:.*@/, "")} | ${added.toFixed(1)} MiB |\n`);
}
