import { finding, line, repairIn } from "../contract/finding.ts";
import { type ProgramPart, programParts } from "../contract/findings.ts";
import type { Finding } from "../contract/types.ts";

/** A part that does not work; `part` null: none could be tested. */
export interface PartFailure {
  readonly part: ProgramPart | null;
  /** The error of the test; one line. */
  readonly cause: string;
}

/** Characters of a cause. */
const longestCause = 300;

/** The line of a report about one part; `cause` null: it works. */
export function reportLine(part: ProgramPart, cause: string | null): string {
  if (cause === null) return `${part} ok`;
  const [firstLine = ""] = cause.split("\n");
  return `${part} failed: ${firstLine.slice(0, longestCause)}`;
}

/** The failures in a report. A test that ended before its last part has failed at the next one. */
export function failuresIn(report: string, ending: string): PartFailure[] {
  const lines = report.split("\n");
  const failures: PartFailure[] = [];
  let tried = 0;
  for (const part of programParts) {
    const line = lines.find((one) => one.startsWith(`${part} `));
    if (line === undefined) return [...failures, { part: tried === 0 ? null : part, cause: ending }];
    tried += 1;
    if (line !== `${part} ok`) failures.push({ part, cause: line.slice(`${part} failed: `.length) });
  }
  return failures;
}

/** The line that installs the files of this version again, from the package. */
export const reinstall = line("apt-get install --reinstall steward");

/** The line that shows which drop-ins the unit has. */
const shownUnit = "systemctl cat steward.service";

const rollback = "`steward update rollback binary`";

/** Without the surroundings of the program, which is whole even so. */
export function ownFailures(failures: readonly PartFailure[]): PartFailure[] {
  return failures.filter(({ part }) => part !== "sandbox");
}

/** The finding of health about failures. `isDetailed`: with their causes. */
export function failureTrouble(all: readonly PartFailure[], isDetailed = true): Finding {
  const [failures, [first]] = [ownFailures(all), all];
  if (failures.length === 0)
    return finding("sandbox_reduced", { members: first?.cause.split(", ") ?? [] }, "", line(shownUnit));
  const parts = failures.flatMap(({ part }) => (part === null ? [] : [part]));
  const causes = failures.map(({ part, cause }) => (part === null ? cause : `${part}: ${cause}`));
  const report = isDetailed ? `The self-check says: ${causes.join("; ")}. ` : "";
  const particulars = `${report}${rollback} goes back to the version before.`;
  return parts.length === 0
    ? finding("program_untested", {}, particulars, reinstall)
    : finding("program_broken", { parts }, particulars, reinstall);
}

/** `absence`: the reason why the root helper cannot be asked, and the line to type. */
export function helperTrouble(absence: string): Finding {
  const repair = repairIn(absence);
  return finding("root_helper_missing", {}, absence, repair === undefined ? null : line(repair));
}
