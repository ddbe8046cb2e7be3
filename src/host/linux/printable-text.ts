/** What could drive a terminal or reorder what is read, and half a character. */
const hostile = /[\p{Cc}\p{Bidi_Control}\p{Surrogate}\u2028\u2029]+/gu;

/** One line of at most so many characters that no terminal is driven by; each run of what could do so is a blank. */
export function printableLine(text: string, mostCharacters: number): string {
  // A program may have said megabytes; what is behind the cut is not looked at.
  const line = text
    .slice(0, 2 * mostCharacters)
    .replace(hostile, " ")
    .trim();
  const isWhole = line.length <= mostCharacters && text.length <= 2 * mostCharacters;
  if (isWhole) return line;
  return `${line.slice(0, mostCharacters - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}
