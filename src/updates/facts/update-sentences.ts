import type {
  HistoryEntry,
  ReleaseHold,
  TrustStatus,
  UpdateProblem,
  UpdateSummary,
} from "../../contract/types.ts";
import {
  releaseName,
  sentence,
  type UpdateFacts,
  type UpdateFormat,
  updateFacts,
} from "../../contract/update-facts.ts";
import { updateProblems } from "../../contract/words/en/update-problems.ts";
import { trustWords, updateWords } from "../../contract/words/en/updates.ts";

const format: UpdateFormat = {
  moment: (at) => `at ${at}`,
  fromNow: (at) => `at ${at}`,
  setting: (pointer) => ` (${pointer.slice(1).replaceAll("/", ".")})`,
  release: releaseName,
  reason: ({ detail }) => detail,
  hold: ({ detail }) => detail,
};

const holds = { ...updateProblems, ...updateWords.holds };
const summaries = { ...updateProblems, ...updateWords.summaries };

export function holdSentence(code: ReleaseHold["code"], facts: UpdateFacts): string {
  return sentence(holds[code], updateFacts(facts, format));
}

export function problemSentence(code: UpdateProblem["code"], facts: UpdateFacts): string {
  return sentence(updateProblems[code], updateFacts(facts, format));
}

export function problemWith(
  code: UpdateProblem["code"],
  { setting, ...facts }: Partial<Omit<UpdateProblem, "code" | "detail">> & { readonly setting?: string } = {},
): UpdateProblem {
  const detail = problemSentence(code, { ...facts, setting });
  return { code, detail, release: null, reason: null, failures: null, until: null, ...facts };
}

/** The summary of what blocks all updates is the hold itself. */
export function summarySentence(code: UpdateSummary["code"], facts: UpdateFacts): string {
  if (facts.hold?.code === code) return facts.hold.detail;
  return sentence(summaries[code], updateFacts(facts, format));
}

export function trustSentence(code: TrustStatus["code"], facts: UpdateFacts): string {
  if (code === "not_installed") return problemSentence("trust_not_installed", facts);
  if (code === "unusable") return problemSentence("trust_unusable", facts);
  if (code === "server_not_set") return summarySentence(code, facts);
  return sentence(trustWords[code], updateFacts(facts, format));
}

/** Sums up an attempt that was undone: the health of the release before, and what becomes of this one. */
export function undoneSentences(
  facts: UpdateFacts,
  { outcome, restored_healthy }: Pick<HistoryEntry, "outcome" | "restored_healthy">,
): readonly string[] {
  const isWell = restored_healthy !== false;
  const after = sequels[outcome];
  return [
    isWell ? summarySentence("undone", facts) : problemSentence("former_not_healthy", facts),
    ...(after === undefined
      ? []
      : [holdSentence(after, { kind: facts.releases?.[0]?.kind, until: facts.until })]),
    "Its last log lines: `steward update history`.",
  ];
}

const sequels: Readonly<Partial<Record<HistoryEntry["outcome"], ReleaseHold["code"]>>> = {
  failed: "failed",
  deferred: "deferred",
  aborted: "held",
  rolled_back: "held",
};
