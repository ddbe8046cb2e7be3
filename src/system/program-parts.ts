import { finding, line } from "../contract/finding.ts";
import type { Finding } from "../contract/types.ts";

/**
 * The parts of the program that are tried against a known answer, in the order in which self-check.ts tries them, and
 * what does not work without each.
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

/** A part that does not work; `part` null: not one could be tried. */
export interface PartFailure {
  readonly part: ProgramPart | null;
  /** What the trial said; one line. */
  readonly cause: string;
}

/** Characters of a cause. */
const longestCause = 300;

/** What a trial says of one part; `cause` null: it works. */
export function reportLine(part: ProgramPart, cause: string | null): string {
  if (cause === null) return `${part} ok`;
  const [firstLine = ""] = cause.split("\n");
  return `${part} failed: ${firstLine.slice(0, longestCause)}`;
}

/** The failures that a report tells of; a trial that ended before its last part has failed at the next one. */
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

/** The files of this version again, from the package. */
export const reinstall = line("apt-get install --reinstall steward");

/** Failures as health tells them. */
export function failureTrouble(failures: readonly PartFailure[]): Finding {
  const parts = failures.flatMap(({ part }) => (part === null ? [] : [part]));
  const detail = failureWords(failures, true);
  return parts.length === 0
    ? finding("program_untested", {}, detail, reinstall)
    : finding("program_broken", { parts }, detail, reinstall);
}

/** What a person should know of failures, and what to do. `isDetailed`: with what the trial said. */
export function failureWords(failures: readonly PartFailure[], isDetailed: boolean): string {
  const named = failures.map(({ part, cause }) => {
    const what = part === null ? "its parts cannot be tried" : programParts[part];
    return isDetailed ? `${what} (${part ?? "self-check"}: ${cause})` : what;
  });
  return (
    `This program does not work as it should: ${named.join("; ")}. ` +
    "Install this version of Steward again, or go back to the one before: `steward update rollback binary`."
  );
}
