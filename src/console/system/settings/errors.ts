import { t } from "../../catalogue/words.ts";
import { ProblemError } from "../../client/problem.ts";
import { type EntryError, entrySentence } from "../../ui/by-code.ts";
import { isSame } from "./draft.ts";
import { labelOf } from "./said.ts";
import type { Editing } from "./use-editing.ts";

/** What the agent says of one setting, by the pointer within it; nothing once it was typed over. */
export function errorsOf(
  { saving: { error }, draft }: Editing,
  pointer: string,
): ReadonlyMap<string, string> {
  const isAsSent = isSame(draft.typed[pointer], draft.sent[pointer]);
  return new Map(
    isAsSent
      ? listOf(error)
          .filter((one) => `${one.pointer}/`.startsWith(`${pointer}/`))
          .map((one) => [one.pointer.slice(pointer.length), wordsFor(one)])
      : [],
  );
}

/** All of them, each with the name of its setting; empty: it is a problem of another kind. */
export function errorLines(error: unknown): string[] {
  return listOf(error).map((one) => `${labelOf(one.pointer)}: ${wordsFor(one)}`);
}

function listOf(error: unknown): readonly EntryError[] {
  return error instanceof ProblemError ? (error.problem.errors ?? []) : [];
}

/** What does not fit another setting has words of its own, by the setting. */
function wordsFor(one: EntryError): string {
  const misfits: Readonly<Record<string, string>> = t.settings.misfits;
  return (["inconsistent", "not_allowed"].includes(one.code) && misfits[one.pointer]) || entrySentence(one);
}
