/** Habits of writing that cost a reader time, as far as a program can see them. CONTRIBUTING.md, "Style". */

/** A text that begins with one of these is a fragment: it has no verb of its own. */
const openers = ["What", "Of", "How", "Whether", "Why", "Where", "Who", "Whose"] as const;

/** Words of a private language. The plain ones: only, given, again, is, and the name of the one who acts. */
const words = ["alone", "told", "anew", "good for nothing", "stands", "lies", "whoever"] as const;

/** Names of types that do not say what they hold. */
const typeNames = ["Ground", "Seat", "Occupant"] as const;

/** True for a message that is a fragment. "Where", "Who" and "Why" also open whole sentences of messages. */
export const isFragment = (text: string): boolean => /^\s*(What|Of|How|Whether)\b[^?]*$/.test(text);

/** The count of each habit in the comments and the declared types of one file. */
export function habitsIn(source: string, comments: readonly string[]): Map<string, number> {
  const counted = (habit: string, texts: readonly string[], pattern: string): [string, number] => [
    habit,
    texts.reduce((sum, text) => sum + [...text.matchAll(new RegExp(pattern, "g"))].length, 0),
  ];
  return new Map([
    ...openers.map((word) => counted(`${word} …`, comments, `^${word}\\b`)),
    ...words.map((word) => counted(word, comments, `\\b${word}\\b`)),
    ...typeNames.map((name) =>
      counted(`type …${name}`, [source], `\\b(?:interface|type) \\w*${name} (?:=|\\{|extends)`),
    ),
  ]);
}
