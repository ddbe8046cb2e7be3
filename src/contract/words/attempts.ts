import type { HistoryEntry } from "../types.ts";
import type { UpdateWords } from "../update-facts.ts";

/** The end of an attempt, in words that follow the release's name. A release that a package overtook is not held. */
export function attemptWords(words: UpdateWords["attempts"], { outcome, reason }: HistoryEntry): string {
  return words[reason.code === "overtaken" ? "overtaken" : outcome];
}
