/**
 * The second half of `make bench`: resident memory that each runtime dependency adds when it is the only one that a
 * node process with http and crypto loads.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { median } from "../basics/quantile.ts";
import { markdownOf } from "../basics/table.ts";
import { clearEnvironment } from "./contestant.ts";

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
  return median(runs);
}

const bare = residentMiB([]);
const rows = Object.entries(dependencies).map(([name, version]) => [
  `${name} ${version.replace(/^npm:.*@/, "")}`,
  `${(residentMiB([name]) - bare).toFixed(1)} MiB`,
]);
process.stdout.write(markdownOf(["package", "alone, unbundled"], rows));
