/** A target in a process of its own: `child.ts TARGET SEED CASES CASE-FILE REPORT-FILE`. `main.ts` starts it. */
import { openSync, writeFileSync, writeSync } from "node:fs";
import { createChance } from "../basics/chance.ts";
import { createLedger, TooManyFindings } from "./ledger.ts";
import { targets } from "./targets.ts";

const [name = "", seed = "", cases = "", caseFile = "", reportFile = ""] = process.argv.slice(2);
const target = targets[name];
if (!target) throw new Error(`there is no target ${name}`);

/** Characters of a case's name in the file, so that a shorter one covers a longer one. */
const width = 500;

const file = openSync(caseFile, "w");
const { ledger, report } = createLedger((number, what) => {
  writeSync(file, `${number}: ${what}`.slice(0, width).padEnd(width), 0, "utf8");
});
const fuzzing = { chance: createChance(Number(seed)), cases: Number(cases), ledger };
const peakMiB = await target.run(fuzzing).catch((error: unknown) => {
  if (!(error instanceof TooManyFindings)) throw error;
  return null;
});
const ownMiB = process.resourceUsage().maxRSS / 1_024;
writeFileSync(reportFile, JSON.stringify(report(typeof peakMiB === "number" ? peakMiB : ownMiB)));
// Nothing waits for what is still open, such as connections to an agent that has been stopped.
process.exit(0);
