import { inBrowser } from "../kept.ts";
import { createStore } from "../store.ts";

/** Under this name the browser keeps the person's own choice. */
const choiceName = "steward-language";

/** The person's choice, else the browser's first of ours, else the device's. null: the device's, not known yet. */
export function preferredLanguage(tags: readonly string[], ofDevice: string | null): string | null {
  for (const wanted of [inBrowser.get(choiceName), ...navigator.languages, ofDevice]) {
    const tag = tags.find((one) => one === wanted || one === wanted?.split("-")[0]);
    if (tag !== undefined) return tag;
  }
  return ofDevice === null ? null : "en";
}

/**
 * The locale for dates, times and numbers: the first of the browser's languages that is a kind of the spoken one, because
 * Britain and Switzerland write them otherwise than the USA and Germany. Hours are counted to 24, except in the USA.
 */
export function preferredLocale(preferred: readonly string[], spoken: string): string {
  const tag = preferred.find((one) => one === spoken || one.startsWith(`${spoken}-`)) ?? spoken;
  return tag === "en-US" ? tag : new Intl.Locale(tag, { hourCycle: "h23" }).toString();
}

/** The last choice in this page; "": none. */
export const chosenLanguage = createStore("");

export function chooseLanguage(wanted: string): void {
  inBrowser.set(choiceName, wanted);
  chosenLanguage.set(wanted);
}
