import { isFoundIn } from "../../catalogue/formats.ts";
import { t } from "../../catalogue/words.ts";
import { pointersOf, valueAt } from "./draft.ts";
import { labelOf, textOf } from "./setting-words.ts";
import type { Editing } from "./use-editing.ts";

/** The settings but those of other pages, in sections that fit one screen each. */
export const sectionNames = [
  "security",
  "sessions",
  "clock",
  "time",
  "trust",
  "notifications",
  "reminders",
  "console",
] as const;

export type SectionName = (typeof sectionNames)[number];

/** Sections by the beginning of a pointer: the first that fits decides, so that a new setting has a section at once. */
const sectionsByPointer: readonly (readonly [beginning: string, section: SectionName])[] = [
  ["/device/", "reminders"],
  ["/time/mode", "clock"],
  ["/time/min_agreeing", "trust"],
  ["/time/max_root_distance", "trust"],
  ["/time/panic_threshold", "trust"],
  ["/time/", "time"],
  ["/security/session_", "sessions"],
  ["/security/", "security"],
  ["/console/", "console"],
  ["/notify/", "notifications"],
];

/** Changed on the page of the device, though no settings: root's part of the agent changes them. */
const ofHost = ["/host/host_name", "/host/time_zone"] as const;

/** The pages that have other settings. */
export const otherPages: readonly (readonly [to: "/system/device" | "/updates", form: RegExp])[] = [
  ["/system/device", /^\/(host\/|device\/(name|location|contact)$)/],
  ["/updates", /^\/update\//],
];

/** The section of a setting, or of a place within it; undefined: it is on another page. */
export function sectionOf(pointer: string): SectionName | undefined {
  if (otherPages.some(([, form]) => form.test(pointer))) return undefined;
  return sectionsByPointer.find(([beginning]) => pointer.startsWith(beginning))?.[1];
}

/** The section with this name, else the first one. */
export function sectionNamed(name: string): SectionName {
  return sectionNames.find((one) => one === name) ?? sectionNames[0];
}

/** Counts the settings of a section that have been changed and not saved. */
export function unsavedIn({ draft }: Editing): (name: SectionName) => number {
  const changed = Object.keys(draft.typed).map(sectionOf);
  return (name) => changed.filter((one) => one === name).length;
}

export type FoundSection = ReturnType<typeof sectionsWith>[number];

/** All sections with all of their fields, and which of these are found by the words that are sought. */
export function sectionsWith({ schema, draft }: Editing, sought: string) {
  if (schema === null) return [];
  return sectionNames.map((name) => ({
    name,
    fields: pointersOf(schema)
      .filter((pointer) => sectionOf(pointer) === name)
      .map((pointer) => {
        // A receiver is no value that can be said in one line.
        const value = name === "notifications" ? null : valueAt(draft.base, pointer);
        const text = `${t.settings.groups[name]}\n${textOf(schema, pointer, value)}`;
        return { pointer, isFound: isFoundIn(text, sought) };
      }),
  }));
}

/** The settings of other pages that are found. */
export function foundElsewhere({ schema, draft }: Editing, sought: string) {
  if (schema === null) return [];
  const all = [...pointersOf(schema), ...ofHost];
  return otherPages.flatMap(([to, form]) => {
    const names = all
      .filter((pointer) => form.test(pointer))
      .filter((pointer) => isFoundIn(textOf(schema, pointer, valueAt(draft.base, pointer)), sought))
      .map(labelOf);
    return names.length === 0 ? [] : [{ to, names }];
  });
}
