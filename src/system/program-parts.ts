import { finding, line } from "../contract/finding.ts";
import type { Finding } from "../contract/types.ts";

/**
 * The parts of the program that are tested against a known answer, in the order of self-check.ts, and what fails
 * without each.
 */
export const programParts = {
  signatures: "signatures of updates cannot be verified",
  "two-factor": "two-factor secrets cannot be opened",
  passwords: "passwords cannot be checked, and no sign-in succeeds",
  clock: "the clock cannot be set, and is read less exactly",
  rights:
    "root's rights cannot be given up: no update is installed, and commands fail while the agent is down",
} as const;

export type ProgramPart = keyof typeof programParts;

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
  for (const part of Object.keys(programParts) as ProgramPart[]) {
    const line = lines.find((one) => one.startsWith(`${part} `));
    if (line === undefined) return [...failures, { part: tried === 0 ? null : part, cause: ending }];
    tried += 1;
    if (line !== `${part} ok`) failures.push({ part, cause: line.slice(`${part} failed: `.length) });
  }
  return failures;
}

/** The line that installs the files of this version again, from the package. */
export const reinstall = line("apt-get install --reinstall steward");

const rollback = "`steward update rollback binary`";

/** The finding of health about failures. */
export function failureTrouble(failures: readonly PartFailure[]): Finding {
  const parts = failures.flatMap(({ part }) => (part === null ? [] : [part]));
  const particulars = `By its self-check, ${namesOf(failures, true)}. ${rollback} goes back to the version before.`;
  return parts.length === 0
    ? finding("program_untested", {}, particulars, reinstall)
    : finding("program_broken", { parts }, particulars, reinstall);
}

/** The sentence about failures, with advice. `isDetailed`: with the causes. */
export function failureWords(failures: readonly PartFailure[], isDetailed: boolean): string {
  return (
    `This program does not work as it should: ${namesOf(failures, isDetailed)}. ` +
    `Install this version of Steward again, or go back to the one before: ${rollback}.`
  );
}

function namesOf(failures: readonly PartFailure[], isDetailed: boolean): string {
  const names = failures.map(({ part, cause }) => {
    const effect = part === null ? "its parts cannot be tried" : programParts[part];
    return isDetailed ? `${effect} (${part ?? "self-check"}: ${cause})` : effect;
  });
  return names.join("; ");
}
