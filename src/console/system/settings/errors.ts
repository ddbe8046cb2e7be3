import { t } from "../../catalogue/words.ts";
import { ProblemError } from "../../client/problem.ts";
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

interface InputError {
  readonly pointer: string;
  readonly code: string;
  readonly detail: string;
}

function listOf(error: unknown): readonly InputError[] {
  return error instanceof ProblemError ? (error.problem.errors ?? []) : [];
}

/** In the language that is spoken where it has words for the code, else in the agent's own. */
function wordsFor({ code, detail }: InputError): string {
  const ours = (t.settings.errors as Readonly<Record<string, (figure: string) => string>>)[code];
  // "must be from 1 to 8" names both bounds.
  const figure = detail.match(/\d+/g)?.at(code.startsWith("max") ? -1 : 0) ?? "";
  return ours?.(figure) || detail;
}
