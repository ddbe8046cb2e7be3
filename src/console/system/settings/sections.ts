import { isFoundIn } from "../../catalogue/formats.ts";
import { t } from "../../catalogue/words.ts";
import { pointersOf, valueAt } from "./draft.ts";
import { textOf } from "./setting-words.ts";
import type { Editing } from "./use-editing.ts";

/** The settings but those of the updates, which have a page of their own, in sections that fit one screen each. */
export const sectionNames = [
  "device",
  "reminders",
  "clock",
  "time",
  "trust",
  "security",
  "sessions",
  "console",
  "notifications",
] as const;

export type SectionName = (typeof sectionNames)[number];

/** Sections by the beginning of a pointer: the first that fits decides, so that a new setting has a section at once. */
const sectionsByPointer: readonly (readonly [beginning: string, section: SectionName])[] = [
  ["/device/not_needed", "reminders"],
  ["/device/", "device"],
  ["/host/name", "device"],
  ["/time/mode", "clock"],
  ["/host/time_zone", "clock"],
  ["/time/min_agreeing", "trust"],
  ["/time/max_root_distance", "trust"],
  ["/time/panic_threshold", "trust"],
  ["/time/", "time"],
  ["/security/session_", "sessions"],
  ["/security/", "security"],
  ["/console/", "console"],
  ["/notify/", "notifications"],
];

/** People look for these names of the machine among the settings, though they are changed on the page of the device. */
const ofHost = ["/host/name", "/host/time_zone"] as const;

export type HostPointer = (typeof ofHost)[number];

export function isOfHost(pointer: string): pointer is HostPointer {
  return (ofHost as readonly string[]).includes(pointer);
}

/** The section of a setting, or of a place within it; undefined: it is on another page. */
export function sectionOf(pointer: string): SectionName | undefined {
  return sectionsByPointer.find(([beginning]) => pointer.startsWith(beginning))?.[1];
}

/** The section with this name, else the first one. */
export function sectionNamed(name: string): SectionName {
  return sectionNames.find((one) => one === name) ?? "device";
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
  const all = [...pointersOf(schema), ...ofHost];
  const textAt = (pointer: string): string => {
    if (isOfHost(pointer)) return t.settings.ofHost[pointer];
    // A receiver is no value that can be said in one line.
    const value = sectionOf(pointer) === "notifications" ? null : valueAt(draft.base, pointer);
    return textOf(schema, pointer, value);
  };
  return sectionNames.map((name) => ({
    name,
    fields: all
      .filter((pointer) => sectionOf(pointer) === name)
      .map((pointer) => ({
        pointer,
        isFound: isFoundIn(`${t.settings.groups[name]}\n${textAt(pointer)}`, sought),
      })),
  }));
}
