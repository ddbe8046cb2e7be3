/// <reference types="vite/client" />
import { preferredLanguage, preferredLocale } from "./wanted-language.ts";

/** Files of texts: those of `base` are there before anything is drawn, the others with the parts that use them. */
interface English {
  readonly base: typeof import("./languages/en/base.ts");
  readonly adding: typeof import("./languages/en/adding.ts");
  readonly account: typeof import("./languages/en/account.ts");
  readonly device: typeof import("./languages/en/device.ts");
  readonly event: typeof import("./languages/en/event.ts");
  readonly events: typeof import("./languages/en/events.ts");
  readonly findings: typeof import("./languages/en/findings.ts");
  readonly machine: typeof import("./languages/en/machine.ts");
  readonly notifications: typeof import("./languages/en/notifications.ts");
  readonly palette: typeof import("./languages/en/palette.ts");
  readonly people: typeof import("./languages/en/people.ts");
  readonly problems: typeof import("./languages/en/problems.ts");
  readonly records: typeof import("./languages/en/records.ts");
  readonly settings: typeof import("./languages/en/settings.ts");
  readonly setup: typeof import("./languages/en/setup.ts");
  readonly updates: typeof import("./languages/en/updates.ts");
  readonly upload: typeof import("./languages/en/upload.ts");
}

/** Every text of the console. English is the shape that the other languages have. */
export type Catalogue = Translated<Joined<English[keyof English]>>;

/** The members of all files in one type. */
type Joined<File> = { readonly [K in NamesOf<File>]: File extends Readonly<Record<K, infer T>> ? T : never };

type NamesOf<File> = File extends unknown ? keyof File : never;

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

/** Dates, times and numbers are written by this, see `preferredLocale`. */
export let locale = "en";

const loadedFiles = new Set<keyof English>(["base"]);

/** Speaks another language; all that is drawn afterwards is in it. */
export async function speak(wanted: string): Promise<void> {
  setLanguage(wanted);
  document.documentElement.lang = wanted;
  await Promise.all([...loadedFiles].map(loadTexts));
}

/** Loads a file of texts, in this language and in any that is spoken later. */
export async function loadTexts(file: keyof English): Promise<void> {
  loadedFiles.add(file);
  const load = files()[`./languages/${language}/${file}.ts`] ?? files()[`./languages/${language}.ts`];
  putTexts(language, (await load?.()) ?? {});
}

export function putTexts(tag: string, texts: Partial<Catalogue>): void {
  setLanguage(tag);
  Object.assign(t, texts);
}

function setLanguage(tag: string): void {
  language = tag;
  // Some tests speak without a browser.
  locale = preferredLocale(globalThis.navigator?.languages ?? [], tag);
}

/**
 * Every file in languages/ is found by the build, which makes each one a file of the console: a language is a folder
 * of the same files as English, or one file with all of it. Folders within it hold what its files are made of.
 */
function files(): Readonly<Record<string, () => Promise<Partial<Catalogue>>>> {
  return import.meta.glob<Partial<Catalogue>>(["./languages/*.ts", "./languages/*/*.ts"]);
}

export function languages(): readonly string[] {
  return [...new Set(Object.keys(files()).map((path) => path.split(/[/.]/)[3] ?? ""))];
}

/** By tags. A browser takes long to find one, and the head of each page asks whenever it is drawn. */
const languageNames = new Map<string, string>();

/** The name of a language in itself, such as `Deutsch`. */
export function languageName(tag: string): string {
  const known = languageNames.get(tag);
  if (known !== undefined) return known;
  const found = new Intl.DisplayNames([tag], { type: "language" }).of(tag) ?? tag;
  const name = found.charAt(0).toLocaleUpperCase(tag) + found.slice(1);
  languageNames.set(tag, name);
  return name;
}

/** The word for a name of the agent's. Undefined: a newer agent has names that this page does not know. */
export function wordFor<T>(words: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(words, name) ? words[name] : undefined;
}

/** The language to speak, see `preferredLanguage`. */
export function wantedLanguage(ofDevice: string | null): string | null {
  return preferredLanguage(languages(), ofDevice);
}
