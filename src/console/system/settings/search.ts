import { language } from "../../catalogue/words.ts";
import { type MemberSchema, schemaAt } from "./draft.ts";
import { hintOf, labelOf, optionOf, said } from "./said.ts";

/** Whether each word that is sought stands somewhere in the text; capitals and accents do not matter. */
export function isFoundIn(text: string, sought: string): boolean {
  const inText = folded(text);
  return folded(sought)
    .split(/\s+/)
    .every((word) => inText.includes(word));
}

/** All that a person may know a setting by: what it is called, what it does, its value and the other choices. */
export function textOf(schema: MemberSchema, pointer: string, value: unknown): string {
  const member = schemaAt(schema, pointer);
  const options = (member.enum ?? []).map((one) => optionOf(pointer, one));
  return [
    labelOf(pointer),
    hintOf(pointer, member),
    said(pointer, value),
    ...options.flatMap(({ text, hint = "" }) => [text, hint]),
  ].join("\n");
}

function folded(text: string): string {
  return text
    .toLocaleLowerCase(language)
    .normalize("NFD")
    .replace(/\p{Mn}/gu, "")
    .trim();
}
