/** Reordering or invisible characters: C0, C1, DEL (\p{Cc}), bidirectional controls, line and paragraph separators. */
const hostile = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/** A text from outside on one line, with `\xNN`, or `\x{NNNN}` above FF, for what could deceive. */
export function visible(text: string): string {
  return text.replace(hostile, (character) => {
    const hex = (character.codePointAt(0) ?? 0).toString(16);
    return hex.length > 2 ? `\\x{${hex.padStart(4, "0")}}` : `\\x${hex.padStart(2, "0")}`;
  });
}

/** Characters of a version, or of a release's name, that fit into a line of a tile or a phone. */
const lineLength = 16;

/** Such a text on one line; of a longer one its beginning and its end, by which versions differ. */
export function brief(text: string): string {
  const characters = [...visible(text)];
  if (characters.length <= lineLength) return characters.join("");
  // With a word joiner, for a line may end behind an ellipsis.
  return `${characters.slice(0, 9).join("")}…\u2060${characters.slice(-6).join("")}`;
}

/** A text from outside within a sentence: whichever way it is written, the rest stays where it is (Unicode UAX #9). */
export function isolated(text: string): string {
  return `\u2068${visible(text)}\u2069`;
}

/** The same for several lines: line feeds stay. */
export function visibleLines(text: string): string {
  return text.split("\n").map(visible).join("\n");
}

/** The fingerprint in a text, in groups, with colons, in capitals, among other words; empty: there is none in full. */
export function fingerprintIn(text: string): string {
  const [found = ""] = /\b(?:[\da-f][^\da-z]*){63}[\da-f]\b/i.exec(text) ?? [];
  return found.replace(/[^\da-f]/gi, "").toLowerCase();
}
