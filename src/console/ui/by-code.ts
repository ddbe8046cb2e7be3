import { t, wordFor } from "../catalogue/words.ts";
import { visible } from "./visible.ts";

/** A sentence, and whether it is the agent's own, which is English. */
export interface Sentence {
  readonly text: string;
  readonly isAgents: boolean;
  /** The agent's own words besides, which are English: particulars that the page has no words for. */
  readonly quote?: string;
}

/** The words for a code, made of its facts. For a newer agent's unknown code: the agent's own sentence. */
export function sentenceOf<Facts extends readonly unknown[]>(
  words: Readonly<Record<string, (...given: Facts) => string>>,
  { code, detail }: { readonly code: string; readonly detail: string },
  ...given: Facts
): Sentence {
  const own = wordFor(words, code)?.(...given);
  if (own === undefined) return { text: detail, isAgents: true };
  return { text: visible(own.replace(/ +/g, " ").trim()), isAgents: false };
}

/** The name of an error by its code; null: this page does not know it. */
export function problemName(code: string): string | null {
  return wordFor<string>(t.problem.codes, code) ?? null;
}

/** An error in one entry of a form, as the agent found it. */
export interface EntryError {
  readonly pointer: string;
  readonly code: string;
  readonly detail: string;
}

/** The same in words. */
export function entrySentence({ code, detail }: EntryError): string {
  const figures: readonly string[] = detail.match(/\d+/g) ?? [];
  // "must be from 1 to 8" names both bounds.
  const figure = figures.at(code.startsWith("max") ? -1 : 0) ?? "";
  const words = wordFor<(figure: string, other: string) => string>(t.problem.entries, code);
  const said = words?.(figure, figures[1] ?? "");
  return said || (problemName(code) ?? detail);
}
