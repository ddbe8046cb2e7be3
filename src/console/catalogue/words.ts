/// <reference types="vite/client" />
import type * as base from "./languages/en/base.ts";
import type * as device from "./languages/en/device.ts";
import type * as machine from "./languages/en/machine.ts";
import type * as people from "./languages/en/people.ts";
import type * as records from "./languages/en/records.ts";
import type * as settings from "./languages/en/settings.ts";

/** The texts by part: `base` is there before anything is drawn, each other part with the pages of its name. */
interface English {
  readonly base: typeof base;
  readonly people: typeof people;
  readonly device: typeof device;
  readonly machine: typeof machine;
  readonly records: typeof records;
  readonly settings: typeof settings;
}

export type Part = keyof English;

/** Every text of the console. English is the shape that the other languages have. */
export type Catalogue = Translated<
  typeof base & typeof people & typeof device & typeof machine & typeof records & typeof settings
>;

/** Other texts of the same names, and functions of the same parameters. */
type Translated<T> = {
  readonly [K in keyof T]: T[K] extends string
    ? string
    : T[K] extends (...given: infer A) => infer R
      ? (...given: A) => R
      : Translated<T[K]>;
};

/** The texts of the parts that are loaded, in the language that is spoken. */
export const t = {} as Catalogue;

/** Tag of the language that is spoken (BCP 47). */
export let language = "en";

const loadedParts = new Set<Part>(["base"]);

/** Speaks another language; all that is drawn afterwards is in it. */
export async function speak(wanted: string): Promise<void> {
  language = wanted;
  document.documentElement.lang = wanted;
  await Promise.all([...loadedParts].map(loadTexts));
}

/** Loads the texts of a part, in this language and in any that is spoken later. */
export async function loadTexts(part: Part): Promise<void> {
  loadedParts.add(part);
  const load = files()[`./languages/${language}/${part}.ts`] ?? files()[`./languages/${language}.ts`];
  putTexts(language, (await load?.()) ?? {});
}

/** Puts texts of a language in force. */
export function putTexts(tag: string, texts: Partial<Catalogue>): void {
  language = tag;
  Object.assign(t, texts);
}

/**
 * Every file in languages/ is found by the build, which makes each one a file of the console: a language is a folder
 * with a file a part, or one file with all of it.
 */
function files(): Readonly<Record<string, () => Promise<Partial<Catalogue>>>> {
  return import.meta.glob<Partial<Catalogue>>("./languages/**/*.ts");
}

/** Tags of the languages that there are catalogues of. */
export function languages(): readonly string[] {
  return [...new Set(Object.keys(files()).map((path) => path.split(/[/.]/)[3] ?? ""))];
}

/** What a language calls itself, such as `Deutsch`. */
export function languageName(tag: string): string {
  const name = new Intl.DisplayNames([tag], { type: "language" }).of(tag) ?? tag;
  return name.charAt(0).toLocaleUpperCase(tag) + name.slice(1);
}

const choiceName = "steward-language";

/** The person's own choice in this browser, else the device's language, as far as there is a catalogue of it. */
export function wantedLanguage(ofDevice: string): string {
  const wanted = localStorage.getItem(choiceName) ?? ofDevice;
  return languages().find((one) => one === wanted || one === wanted.split("-")[0]) ?? "en";
}

export function chooseLanguage(wanted: string): void {
  localStorage.setItem(choiceName, wanted);
}
