import type { UpdateReason } from "../../../contract/types.ts";
import type { UpdateFormat } from "../../../contract/update-facts.ts";
import { relativeTime } from "../../catalogue/formats.ts";
import { language, t, wordFor } from "../../catalogue/words.ts";
import { deviceNow } from "../../client/device-time.ts";
import { problemName, type Sentence } from "../by-code.ts";
import { withTimes } from "../spoken.tsx";

/** A time of the device's, as people say it. */
export function fromNow(at: string): string {
  return relativeTime((Date.parse(at) - deviceNow()) / 1_000);
}

/** `Rules 1.3.0`; one of an unknown kind has the publisher's name. */
export function releaseName({
  kind,
  name,
  version,
}: Readonly<Record<"kind" | "name" | "version", string | null>>): string {
  return [wordFor<string>(t.home.kinds, kind ?? "") ?? name, version].filter(Boolean).join(" ");
}

/** A code of a newer agent's may be any; null: there is none. */
type ReasonFacts = Pick<UpdateReason, "detail"> &
  Partial<Omit<UpdateReason, "code">> & { readonly code: string | null };

/** Says why an attempt ended as it did, or which step failed. */
export function reasonSentence(reason: ReasonFacts): Sentence {
  const text = reasonText(reason);
  const isAgents = wordsOf(reason) === undefined && (language === "en" || text === "");
  return quoting({ text: text || reason.detail, isAgents }, reason);
}

/** A sentence with the particulars of its reason that only the agent's own words have. */
export function quoting(sentence: Sentence, reason: ReasonFacts | null | undefined): Sentence {
  const isKnown = reason && wordsOf(reason) !== undefined;
  return quoted(sentence, isKnown ? reason.last_answer : language === "en" ? null : reason?.detail);
}

export function quoted(sentence: Sentence, quote: string | null | undefined): Sentence {
  return quote && !sentence.isAgents ? { ...sentence, quote } : sentence;
}

/** The words for the ends of attempts come with the page about updates. */
function wordsOf({ code }: ReasonFacts): ((facts: { count: number }) => string) | undefined {
  const words: Readonly<Record<string, (facts: { count: number }) => string>> = t.updates?.reasons ?? {};
  return words[code ?? ""];
}

function reasonText(reason: ReasonFacts): string {
  const words = wordsOf(reason);
  if (words !== undefined) return words({ count: reason.count ?? 0 });
  if (language === "en") return withTimes(reason.detail);
  const name = problemName(reason.code ?? "");
  return name === null ? "" : `${name}.`;
}

export const updateFormat: UpdateFormat = {
  moment: fromNow,
  fromNow,
  setting: () => "",
  release: releaseName,
  reason: reasonText,
  hold: () => "",
};
