import type {
  HistoryEntry,
  PassedOver,
  Release,
  ReleaseHold,
  UpdateSummary,
  Updates,
} from "../../contract/types.ts";
import { attemptWords, fullSentence, type UpdateFormat, updateFacts } from "../../contract/update-facts.ts";
import { language, t } from "../catalogue/words.ts";
import { deviceNow } from "../client/device-time.ts";
import { type Sentence, sentenceOf } from "../ui/by-code.ts";
import { visible } from "../ui/visible.ts";
import { updatesSentence } from "../ui/words/health-words.ts";
import { fromNow, releaseName as nameOf, quoted, quoting, updateFormat } from "../ui/words/update-format.ts";
import { momentPhrase } from "./moments.ts";

const format: UpdateFormat = {
  ...updateFormat,
  moment: momentPhrase,
  hold: (hold) => holdSentence(hold).text,
};

/** Still to come, by the device's clock. */
export function isAhead(at: string, seconds = 0): boolean {
  return Date.parse(at) > deviceNow() + seconds * 1_000;
}

/** Seconds before it comes for which it is "soon". */
const soonSeconds = 45;

/** When something is due: it is never "just now", also when it is late; null: it is not known. */
export function dueWords(at: string | null): string {
  return at !== null && isAhead(at, soonSeconds) ? fromNow(at) : t.updates.soon;
}

/** `Rules 1.3.0`, as the person sees it. */
export function releaseName(release: Parameters<typeof nameOf>[0]): string {
  return visible(nameOf(release)) || t.updates.what;
}

/** Says why a release is not applied automatically. */
export function holdSentence(hold: ReleaseHold, kind?: Release["kind"]): Sentence {
  const words = { ...t.updateProblems, ...t.updates.holds };
  const sentence = quoting(sentenceOf(words, hold, updateFacts({ ...hold, kind }, format)), hold.reason);
  // The agent names it in English.
  return language === "en" ? sentence : quoted(sentence, hold.facts?.in_progress ?? sentence.quote);
}

/** A summary, or what the page itself sums up, with the checks that failed. */
type SummaryFacts = Pick<UpdateSummary, "code" | "detail" | "at" | "hold" | "reason"> &
  Partial<Pick<UpdateSummary, "releases">> & { readonly failures?: number };

/** Sums updates up. A hold that blocks all of them has the words of a hold. */
export function summarySentence(summary: SummaryFacts): Sentence {
  const { hold, code } = summary;
  if (hold?.code === code) return holdSentence(hold);
  const words = { ...t.updateProblems, ...t.updates.summaries };
  return quoting(
    sentenceOf(words, summary, updateFacts(summary, format)),
    hold === null ? summary.reason : hold.reason,
  );
}

export function endWords(entry: HistoryEntry): string {
  return `${releaseName(entry)}: ${t.updates.outcomes[entry.outcome]}`;
}

export function attemptSentence(entry: HistoryEntry): string {
  const what = visible(entry.version ?? entry.name ?? t.updates.what);
  return `${what} ${attemptWords(t.updates.attempts, entry)} (${momentPhrase(entry.at)}).`;
}

/** Says why nothing of one kind can be verified; null: it can. */
export function blockerSentence(
  blocker: NonNullable<Updates["blockers"]>["rules"] | undefined,
  kind: Release["kind"],
): Sentence | null {
  if (!blocker) return null;
  const { detail } = blocker;
  const reason = { ...blocker, count: null, last_answer: null };
  return updatesSentence({
    code: "not_verifiable",
    detail,
    reason,
    release: { kind, name: null, version: null },
  });
}

/** The page names a release that was passed over for one of these reasons: a person may expect it. */
const expected: readonly PassedOver["code"][] = [
  "withdrawn",
  "needs_newer_agent",
  "below_floor",
  "unreadable",
];

/** Releases of one kind that a person may expect, and a withdrawn one that is installed. */
export function passedOverOf({ passed_over = [] }: Updates, kind: Release["kind"]): readonly PassedOver[] {
  return passed_over.filter((one) => one.kind === kind && expected.includes(one.code));
}

/** Says why a release that was found was not chosen. */
export function passedOverSentence(one: PassedOver): string {
  const what = one.version === null ? one.path : nameOf(one);
  // A newer agent may have other codes.
  const why = t.updates.passedOver[one.code]?.(one);
  return visible(why === undefined ? what : fullSentence(`${what} ${why}`));
}
