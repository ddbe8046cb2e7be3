/**
 * Runs the subjects of `make fleet-test` (arguments: their names; none: all), each a test file beside this one that
 * starts the real program of another maker. Ends with the test runner's summary and a table of what was measured.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tableOf } from "./table.ts";

const folder = "lab/fleet";
const all = readdirSync(folder).flatMap((name) => name.match(/^(.+)\.test\.ts$/)?.slice(1) ?? []);
const chosen = process.argv.length > 2 ? process.argv.slice(2) : all;
const unknown = chosen.filter((name) => !existsSync(join(folder, `${name}.test.ts`)));
if (unknown.length > 0) {
  console.error(`There is no subject ${unknown.join(", ")}. The subjects are: ${all.join(", ")}.`);
  process.exit(2);
}
const directory = mkdtempSync(join(tmpdir(), "steward-fleet-test-"));
const file = join(directory, "table");
writeFileSync(file, "");
const { status } = spawnSync(
  "sh",
  ["scripts/run-tests.sh", process.execPath, ...chosen.map((name) => join(folder, `${name}.test.ts`))],
  { stdio: "inherit", env: { ...process.env, STEWARD_FLEET_TABLE: file } },
);
console.log(`\n${tableOf(file)}`);
rmSync(directory, { recursive: true });
process.exit(status ?? 1);
