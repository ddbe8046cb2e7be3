import { type TimeServer, timeServerText } from "../../../contract/clock/time-server.ts";
import { languageName, locale, t } from "../../catalogue/words.ts";
import { durationSaid } from "../../ui/form/duration-field.tsx";
import { type MemberSchema, namesIn, schemaAt } from "./draft.ts";

/** Replaces a value that the role may not see (contract/settings-forms.ts, which costs kilobytes). */
const hidden = "(hidden)";

const weekdays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;

export type Window = { readonly days: readonly string[]; readonly from: string; readonly to: string };

/** The days of the week with their names in the language that is spoken, from Monday on. */
export function namedDays(): { readonly day: string; readonly name: string }[] {
  const format = new Intl.DateTimeFormat(locale, { weekday: "short", timeZone: "UTC" });
  // 1 January 2024 was a Monday.
  return weekdays.map((day, index) => ({ day, name: format.format(Date.UTC(2024, 0, 1 + index)) }));
}

let known: MemberSchema = {};

/** Takes note of the settings' schema as it was read: its titles are what settings are called in English. */
export function schemaRead(schema: MemberSchema): void {
  known = schema;
}

/** The name of a setting by the catalogue, else by the schema; the pointer may lead into it. */
export function labelOf(pointer: string): string {
  const own = wordsOf(pointer);
  if (own) return own.label;
  let [at, whole] = [known, ""];
  for (const name of namesIn(pointer)) {
    const inner = at.properties?.[name];
    if (inner === undefined) break;
    at = inner;
    whole += `/${name}`;
  }
  return wordsOf(whole)?.label ?? at.title ?? pointer.slice(1).replaceAll("/", ".");
}

interface Words {
  readonly label: string;
  readonly hint?: string;
}

/** The catalogue's words for a setting; undefined: it is a setting of a newer agent. */
function wordsOf(pointer: string): Words | undefined {
  return (t.settings.words as Readonly<Record<string, Words>>)[pointer];
}

/** The hint of a setting: the catalogue's words, else the schema's own. */
export function hintOf(pointer: string, schema: MemberSchema): string {
  const { description = "", maxLength } = schema;
  const text = wordsOf(pointer)?.hint ?? description.charAt(0).toUpperCase() + description.slice(1);
  const sentence = text.replace(/([^.])$/, "$1.");
  // A number with a unit is no text with a length.
  return maxLength === undefined || isDuration(schema)
    ? sentence
    : `${sentence} ${t.settings.longest(maxLength)}`;
}

/** A length of time, by the form of its text. */
export function isDuration({ pattern = "" }: MemberSchema): boolean {
  return pattern.includes("d)?(");
}

export function optionOf(pointer: string, value: string): { readonly text: string; readonly hint?: string } {
  if (pointer === "/console/language") return { text: languageName(value) };
  const options = t.settings.options as Readonly<Record<string, Readonly<Record<string, Words>>>>;
  const { label = value, hint = "" } = options[pointer]?.[value] ?? {};
  return hint === "" ? { text: label } : { text: label, hint };
}

/** A value as it is read rather than edited. */
export function valueInWords(pointer: string, value: unknown): string {
  if (value === hidden) return t.settings.hidden;
  if (typeof value === "boolean") return value ? t.settings.on : t.settings.off;
  if (Array.isArray(value)) {
    if (value.length === 0) return pointer === "/update/windows" ? t.settings.always : t.settings.none;
    return value
      .map((one: string | TimeServer | Window) =>
        typeof one === "string"
          ? optionOf(pointer, one).text
          : "host" in one
            ? timeServerText(one)
            : windowInWords(one),
      )
      .join(", ");
  }
  if (value === null || value === undefined || value === "") return t.settings.none;
  if (isDuration(schemaAt(known, pointer))) return durationSaid(String(value));
  return optionOf(pointer, String(value)).text;
}

function windowInWords({ days, from, to }: Window): string {
  const names = namedDays().filter(({ day }) => days.includes(day));
  return `${names.map(({ name }) => name).join(" ")} ${from}–\u2060${to}`;
}

/** All that a person may know a setting by: what it is called, what it does, its value and the other choices. */
export function textOf(schema: MemberSchema, pointer: string, value: unknown): string {
  const member = schemaAt(schema, pointer);
  const options = (member.enum ?? []).map((one) => optionOf(pointer, one));
  return [
    labelOf(pointer),
    // Its key, as the command line has it.
    pointer.slice(1).replaceAll("/", "."),
    (t.settings.also as Readonly<Record<string, string>>)[pointer] ?? "",
    hintOf(pointer, member),
    valueInWords(pointer, value),
    ...options.flatMap(({ text, hint = "" }) => [text, hint]),
  ].join("\n");
}
