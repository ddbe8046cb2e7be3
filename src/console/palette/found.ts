import { folded, isFoundIn } from "../catalogue/formats.ts";

/** Something that can be gone to, or done. */
export interface Entry {
  readonly kind: "page" | "place" | "user" | "setting" | "action";
  readonly text: string;
  /** Other names that people have for it. */
  readonly words?: string;
  /** Other words that find it. */
  readonly more?: string;
  run(): void;
}

const most = 10;

/**
 * Those in which each word is found, best first: by a whole name, by the beginning of the name, of a word in it, of another word for it,
 * then anywhere. Without a text: pages and actions.
 */
export function found(entries: readonly Entry[], sought: string): readonly Entry[] {
  const text = sought.trim();
  if (text === "") return entries.filter(({ kind }) => kind === "page" || kind === "action").slice(0, most);
  return entries
    .map((entry) => ({ entry, rank: ranks.findIndex((holds) => holds(entry, text)) }))
    .filter(({ rank }) => rank !== -1)
    .toSorted((a, b) => a.rank - b.rank)
    .slice(0, most)
    .map(({ entry }) => entry);
}

const ranks: readonly ((entry: Entry, sought: string) => boolean)[] = [
  ({ text, words = "" }, sought) => [text, ...words.split(",")].some((one) => folded(one) === folded(sought)),
  ({ text }, sought) => beginsIn(text, sought) === 0,
  ({ text }, sought) => beginsIn(text, sought) > 0,
  ({ words = "" }, sought) => beginsIn(words, sought) >= 0,
  ({ text }, sought) => isFoundIn(text, sought),
  ({ text, words = "", more = "" }, sought) => isFoundIn(`${text}\n${words}\n${more}`, sought),
];

/** The place of the first word that begins with the sought text; -1: there is none. */
function beginsIn(text: string, sought: string): number {
  return ` ${folded(text)}`.replaceAll(/[\s,-]/g, " ").indexOf(` ${folded(sought)}`);
}
