import type { en } from "./languages/en.ts";

/** Every text of the console, and how the language writes numbers and times. A translation is one more of it. */
export type Catalogue = Widened<typeof en>;

/** What the English texts are the shape of: other texts, and functions of the same parts. */
type Widened<T> = {
  readonly [K in keyof T]: T[K] extends string
    ? string
    : T[K] extends (...given: infer A) => infer R
      ? (...given: A) => R
      : Widened<T[K]>;
};

/** The languages that there are catalogues of, by their own names. */
export const languages = { en: "English", de: "Deutsch" } as const;

export type Language = keyof typeof languages;

/** The texts in the language that is spoken, which are loaded alone; none are there before `speak`. */
export let t = {} as Catalogue;

export let language: Language = "en";

/** Speaks another language; all that is drawn afterwards is in it. */
export async function speak(wanted: Language): Promise<void> {
  t = wanted === "de" ? (await import("./languages/de.ts")).de : (await import("./languages/en.ts")).en;
  language = wanted;
  document.documentElement.lang = wanted;
}

const choiceName = "steward-language";

/** The person's own choice in this browser, else the device's language, as far as there is a catalogue of it. */
export function wantedLanguage(ofDevice: string): Language {
  const wanted = localStorage.getItem(choiceName) ?? ofDevice.slice(0, 2);
  return wanted in languages ? (wanted as Language) : "en";
}

export function chooseLanguage(wanted: Language): void {
  localStorage.setItem(choiceName, wanted);
}
