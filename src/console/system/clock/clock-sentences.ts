import type { ClockWord } from "../../../contract/clock/clock-word.ts";
import type { TimeSource, TimeSync } from "../../../contract/types.ts";
import { clockSentences, sourceReasonWords } from "../../../contract/words/clock.ts";
import { pageFormat } from "../../catalogue/formats.ts";
import { t } from "../../catalogue/words.ts";
import { type Sentence, sentenceOf } from "../../ui/by-code.ts";
import { boundInWords, offsetInWords } from "./clock-words.ts";

/** Seconds: the smallest bound that the page shows, however good the clock is. */
const leastBound = 1e-3;

/** The state as a sentence that begins with its word, and with the bound of the error where that is known. */
export function headOf(status: TimeSync, word: ClockWord): string {
  const { offset_seconds, uncertainty_seconds } = status;
  if (word === "not_in_sync") {
    const seconds = lackOf(status);
    return seconds === null ? wordAsSentence(word) : t.clock.offBy(offsetInWords(seconds));
  }
  if (word !== "in_sync" || offset_seconds === null) return wordAsSentence(word);
  if (uncertainty_seconds === null) return wordAsSentence(word);
  return t.clock.within(boundInWords(Math.max(leastBound, Math.abs(offset_seconds) + uncertainty_seconds)));
}

function wordAsSentence(word: ClockWord): string {
  return `${t.frame.clockWords[word].replace(/^./, (first) => first.toUpperCase())}.`;
}

/** By what the clock is wrong; null: not known, for a figure that its sources contradict is an old one. */
function lackOf({ summary, state, offset_seconds }: TimeSync): number | null {
  return summary.offset_seconds ?? (state === "faulty" ? null : offset_seconds);
}

/** The other sentences about the clock, with what to do. `shown`: the code of a problem that the page has already. */
export function supplementarySentences(
  { summary, discipliner: { conflict } }: TimeSync,
  shown: string | null = null,
  format = pageFormat,
): Sentence[] {
  // A summary has the facts of the finding that it is.
  const findings = t.findings as unknown as Parameters<typeof clockSentences>[0]["findings"];
  const { main, more } = clockSentences(
    { ...t.clock.words, findings },
    { summary, conflict },
    (table, coded, facts) => sentenceOf(table, coded, facts, format),
  );
  // The agent's own sentence says the rest as well.
  if (main.some(({ isAgents }) => isAgents)) return [...main];
  const isSaid = summary.code === "synchronised" || summary.code === shown;
  return isSaid ? [...more] : [...main, ...more];
}

/** Says why the source is in its state; null: nothing is wrong. */
export function reasonOf({ reason, state }: TimeSource): Sentence | null {
  if (reason === null) return null;
  const text = sourceReasonWords(t.clock.sourceWords, reason, state);
  return text === undefined ? { text: reason.detail, isAgents: true } : { text, isAgents: false };
}
