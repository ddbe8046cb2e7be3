import { t, wordFor } from "../../catalogue/words.ts";
import { ProblemError } from "../../client/problem.ts";
import { type EntryError, entrySentence } from "../../ui/by-code.ts";
import { isSame } from "./draft.ts";
import { labelOf } from "./setting-words.ts";
import type { Editing } from "./use-editing.ts";

/** The agent's objections to one setting, by the pointer within it; none once it was typed over. */
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

/** Each setting that was refused, once, with the first reason; the pointer may lead into it. Empty: a problem of another kind. */
export function refusedSettings(error: unknown) {
  const all = listOf(error).map((one) => ({
    pointer: one.pointer,
    name: labelOf(one.pointer),
    sentence: wordsFor(one),
  }));
  return all.filter(({ name }, index) => all.findIndex((other) => other.name === name) === index);
}

function listOf(error: unknown): readonly EntryError[] {
  return error instanceof ProblemError ? (error.problem.errors ?? []) : [];
}

/** The form of the value is wrong, and not its length or its number. */
const ofForm = ["pattern", "format", "out_of_range", "not", "oneOf", "anyOf"];

/** A value that contradicts another setting, or has the wrong form, has words of its own by the setting. */
function wordsFor(one: EntryError): string {
  const misfit = wordFor<string>(t.settings.misfits, one.pointer);
  if (misfit && ["inconsistent", "not_allowed"].includes(one.code)) return misfit;
  return (ofForm.includes(one.code) && faultOf(one.pointer)) || entrySentence(one);
}

/** The form that a setting must have; the pointer may lead into it. Empty: it is a setting of a newer agent. */
function faultOf(pointer: string): string {
  const faults: Readonly<Record<string, string>> = t.settings.faults;
  const setting = Object.keys(faults).find((one) => `${pointer}/`.startsWith(`${one}/`));
  return (setting && faults[setting]) ?? "";
}
