/** Characters that could control a terminal or reorder text, and lone surrogates. */
const hostile = /[\p{Cc}\p{Bidi_Control}\p{Surrogate}\u2028\u2029]+/gu;

/** One line of at most so many characters that is safe for a terminal; each run of unsafe characters becomes a blank. */
export function printableLine(text: string, mostCharacters: number): string {
  // The text may be megabytes long: the part after the cut is not searched.
  const line = text
    .slice(0, 2 * mostCharacters)
    .replace(hostile, " ")
    .trim();
  const isWhole = line.length <= mostCharacters && text.length <= 2 * mostCharacters;
  if (isWhole) return line;
  return `${line.slice(0, mostCharacters - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}
