/**
 * `make fuzz`: bad, nearly good and good input to a real agent over its API and its socket, and to what reads NTP packets,
 * TUF metadata, archives and settings. Arguments: names of targets; none: all. STEWARD_SEED repeats a run, STEWARD_CASES
 * gives each target's number of cases. Ends with a table, and with exit code 1 where something was found.
 */
import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Report } from "./ledger.ts";
import { tableOf } from "./table.ts";
import { targets } from "./targets.ts";

/** Seconds in which no case ends: it hangs. A case takes milliseconds, and the longest request of the API some seconds. */
const longestCaseSeconds = 120;

/** MiB of heap that a target's process has: one whose memory grows with its cases is ended by it. */
const heapMiB = 384;

const chosen = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(targets);
const unknown = chosen.filter((name) => !(name in targets));
if (unknown.length > 0) {
  console.error(
    `There is no target ${unknown.join(", ")}. The targets are: ${Object.keys(targets).join(", ")}.`,
  );
  process.exit(2);
}
const seed = Number(process.env.STEWARD_SEED ?? randomInt(2 ** 31));
console.log(`seed ${seed}: STEWARD_SEED=${seed} makes the same cases again`);
const reports: [string, Report][] = [];
for (const name of chosen) {
  const begun = performance.now();
  const report = await runTarget(name);
  reports.push([name, report]);
  const seconds = ((performance.now() - begun) / 1_000).toFixed(0);
  console.log(`${name}: ${report.cases} cases in ${seconds} s, ${report.findings.length} findings`);
  for (const finding of report.findings) console.log(`  ${finding}`);
}
console.log(`\n${tableOf(reports)}`);
process.exitCode = reports.some(([, { findings }]) => findings.length > 0) ? 1 : 0;

/** A target in its own process, so that one that crashes, hangs or takes all memory is a finding like others. */
async function runTarget(name: string): Promise<Report> {
  const directory = mkdtempSync(join(tmpdir(), "steward-fuzz-"));
  const [caseFile, reportFile] = [join(directory, "case"), join(directory, "report.json")];
  writeFileSync(caseFile, "");
  const cases = process.env.STEWARD_CASES ?? String(targets[name]?.cases);
  const program = ["--import", "tsx", "lab/fuzz/child.ts", name, String(seed), cases];
  const child = spawn(
    process.execPath,
    [`--max-old-space-size=${heapMiB}`, ...program, caseFile, reportFile],
    { stdio: ["ignore", "inherit", "inherit"] },
  );
  let hasHung = false;
  let last = "";
  const watch = setInterval(() => {
    const present = readFileSync(caseFile, "utf8");
    hasHung = present === last;
    last = present;
    if (hasHung) child.kill("SIGKILL");
  }, longestCaseSeconds * 1_000);
  const code = await new Promise<number | null>((resolve) => child.once("exit", (exit) => resolve(exit)));
  clearInterval(watch);
  try {
    if (code === 0) return JSON.parse(readFileSync(reportFile, "utf8")) as Report;
    const present = readFileSync(caseFile, "utf8").trimEnd();
    const how = hasHung ? `hung for ${longestCaseSeconds} s` : `ended with ${code}`;
    const cases = Number.parseInt(present, 10) || 0;
    const findings = [`the process ${how} at case ${present}`];
    return { cases, outcomes: {}, findings, notes: [], peakMiB: Number.NaN };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
