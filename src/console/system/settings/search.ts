import { type MemberSchema, schemaAt } from "./draft.ts";
import { hintOf, labelOf, optionOf, otherWordsFor, said } from "./said.ts";

/** All that a person may know a setting by: what it is called, what it does, its value and the other choices. */
export function textOf(schema: MemberSchema, pointer: string, value: unknown): string {
  const member = schemaAt(schema, pointer);
  const options = (member.enum ?? []).map((one) => optionOf(pointer, one));
  return [
    labelOf(pointer),
    otherWordsFor(pointer),
    hintOf(pointer, member),
    said(pointer, value),
    ...options.flatMap(({ text, hint = "" }) => [text, hint]),
  ].join("\n");
}
