/** The record that a target keeps of its cases and their outcomes. */
export interface Ledger {
  /** Begins the next case, under a name by which a person finds it again. */
  begin(what: string): void;
  /** Counts an outcome, such as `2xx` or the code of a refusal. */
  count(outcome: string): void;
  /** A fact about the run, for the table. */
  note(fact: string): void;
  /** Something that must not be. Throws when there are so many that more say no more. */
  find(what: string): void;
  readonly cases: number;
  readonly findings: readonly string[];
}

/** The outcome of a target. */
export interface Report {
  readonly cases: number;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly findings: readonly string[];
  readonly notes: readonly string[];
  /** MiB, of the process that was fuzzed: what it took at most. */
  readonly peakMiB: number;
}

/** Findings after which a target ends. */
const mostFindings = 20;

/** Characters of a case's name in a finding, and of a finding. The seed and the case's number make it again. */
const longestName = 160;
const longestFinding = 600;

/** It calls `begun` before each case, so that one that never ends can be named. */
export function createLedger(begun: (number: number, what: string) => void = () => undefined) {
  const outcomes: Record<string, number> = {};
  const findings: string[] = [];
  const notes: string[] = [];
  let cases = 0;
  let present = "";
  const ledger: Ledger = {
    begin: (what) => {
      cases += 1;
      present = what;
      begun(cases, what);
    },
    count: (outcome) => {
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    },
    note: (fact) => void notes.push(fact),
    find: (what) => {
      findings.push(`case ${cases} (${present.slice(0, longestName)}): ${what}`.slice(0, longestFinding));
      if (findings.length >= mostFindings) throw new TooManyFindings();
    },
    get cases() {
      return cases;
    },
    findings,
  };
  const report = (peakMiB: number): Report => ({ cases, outcomes, findings, notes, peakMiB });
  return { ledger, report };
}

/** The target is broken in so many places that it is not worth going on. */
export class TooManyFindings extends Error {}
