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

/** What was chosen in this page last; "": nothing. */
export const chosenLanguage = createStore("");

export function chooseLanguage(wanted: string): void {
  localStorage.setItem(choiceName, wanted);
  chosenLanguage.set(wanted);
}
