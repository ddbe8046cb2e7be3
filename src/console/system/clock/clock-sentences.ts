import type { ClockWord } from "../../../contract/clock-word.ts";
import type { ClockConflict, ClockSummary, TimeSource, TimeSync } from "../../../contract/types.ts";
import { absoluteTime } from "../../catalogue/formats.ts";
import type { ClockFacts } from "../../catalogue/languages/en/device.ts";
import { t } from "../../catalogue/words.ts";
import { type Sentence, sentenceOf } from "../../ui/by-code.ts";
import { boundInWords, offsetInWords, stepInWords } from "./clock-words.ts";

/** Seconds: a clock that is better than that is told to be as good as that. */
const leastBound = 1e-3;

/** The state as a sentence that begins with its word, and with the bound of the error where that is known. */
export function headOf(status: TimeSync, word: ClockWord): string {
  const { offset_seconds, uncertainty_seconds } = status;
  if (word === "not_in_sync") {
    const seconds = lackOf(status);
    return seconds === null ? t.clock.heads[word] : t.clock.offBy(offsetInWords(seconds));
  }
  if (word !== "in_sync" || offset_seconds === null) return t.clock.heads[word];
  if (uncertainty_seconds === null) return t.clock.heads[word];
  return t.clock.within(boundInWords(Math.max(leastBound, Math.abs(offset_seconds) + uncertainty_seconds)));
}

/** By what the clock is wrong; null: not known, for a figure that its sources contradict is an old one. */
function lackOf({ summary, state, offset_seconds }: TimeSync): number | null {
  return summary.offset_seconds ?? (state === "faulty" ? null : offset_seconds);
}

/**
 * What else there is to say of the clock, and what to do about it: a sentence for each thing that there is to say.
 * `told`: the code of a problem that the page shows already.
 */
export function clockSentences(
  { summary, discipliner: { conflict } }: TimeSync,
  told: string | null = null,
): Sentence[] {
  const { runs_on, configured, daemon_trouble, not_set } = summary;
  const facts = factsOf(summary, conflict);
  const main = sentenceOf(t.clock.summary, summary, facts);
  // The agent's own sentence says all of the rest as well.
  if (main.isAgents) return [main];
  return [
    // The head says it, or the problem.
    ...(summary.code === "synchronised" || summary.code === told ? [] : [main]),
    ...(runs_on ? [own(t.clock.runsOn)] : []),
    ...(configured === null ? [] : [own(t.clock.votes(facts.agreeing, configured, facts.needed))]),
    ...(daemon_trouble ? [sentenceOf(t.clock.daemonTroubles, daemon_trouble, facts)] : []),
    ...(not_set ? [sentenceOf(t.clock.notSet, not_set, facts)] : []),
    ...(not_set?.offset_seconds ? [own(t.clock.hostOff(offsetInWords(not_set.offset_seconds)))] : []),
  ];
}

/** Why the source is in its state; null: there is nothing to say. */
export function reasonOf({ reason, state }: TimeSource): Sentence | null {
  if (reason === null) return null;
  const words: Readonly<Record<string, string>> = t.clock.reasons;
  const named = Object.hasOwn(words, reason.code) ? words[reason.code] : undefined;
  if (named === undefined) return { text: reason.detail, isAgents: true };
  const text = reason.cause === null ? named : `${named} (${reason.cause})`;
  return own(state === "selected" || state === "candidate" ? t.clock.lastTime(text) : text);
}

function own(text: string): Sentence {
  return { text, isAgents: false };
}

function factsOf(summary: ClockSummary, conflict: ClockConflict | null): ClockFacts {
  const { offset_seconds, measured_at, agreeing, needed, server, daemon } = summary;
  const facts = {
    offset: offsetInWords(offset_seconds ?? 0),
    measured: measured_at === null ? "–" : absoluteTime(new Date(measured_at)),
    agreeing: agreeing ?? 0,
    needed: needed ?? 0,
    server: server ?? "–",
    daemon: conflict?.daemon ?? daemon ?? "–",
    step: stepInWords(conflict?.step_seconds ?? 0),
    conflict: "",
  };
  if (conflict === null) return facts;
  return { ...facts, conflict: sentenceOf(t.clock.conflicts, conflict, facts).text };
}
