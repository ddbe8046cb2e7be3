import { createStore } from "../store.ts";

/** Under this name the browser keeps the person's own choice. */
const choiceName = "steward-language";

/**
 * Of these languages the person's own choice in this browser, else the first of the browser's, else the device's. null:
 * it is the device's, which is not known yet.
 */
export function wantedAmong(tags: readonly string[], ofDevice: string | null): string | null {
  for (const wanted of [localStorage.getItem(choiceName), ...navigator.languages, ofDevice]) {
    const tag = tags.find((one) => one === wanted || one === wanted?.split("-")[0]);
    if (tag !== undefined) return tag;
  }
  return ofDevice === null ? null : "en";
}

/**
 * By which dates, times and numbers are written: the first of the browser's languages that is of the one that is spoken,
 * for a person in Britain or Switzerland is not one in the USA or Germany. Hours are counted to 24, but in the USA.
 */
export function localeAmong(preferred: readonly string[], spoken: string): string {
  const tag = preferred.find((one) => one === spoken || one.startsWith(`${spoken}-`)) ?? spoken;
  return tag === "en-US" ? tag : new Intl.Locale(tag, { hourCycle: "h23" }).toString();
}

/** What was chosen in this page last; "": nothing. */
export const chosenLanguage = createStore("");

export function chooseLanguage(wanted: string): void {
  localStorage.setItem(choiceName, wanted);
  chosenLanguage.set(wanted);
}
