/**
 * Characters that could control a terminal or reorder its text: C0, C1 and DEL (\p{Cc}); U+061C, U+200E, U+200F,
 * U+202A–202E, U+2066–2069 (\p{Bidi_Control}); the line and paragraph separators.
 */
const hostile = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/** One line that is safe in a terminal: hostile characters become `\xNN`, or `\x{NNNN}` above FF. */
export function escapeText(text: string): string {
  return text.replace(hostile, (character) => {
    const hex = codeOf(character).toString(16);
    return hex.length > 2 ? `\\x{${hex.padStart(4, "0")}}` : `\\x${hex.padStart(2, "0")}`;
  });
}

/** The same for several lines: line feeds stay. */
export function escapeLines(text: string): string {
  return text.split("\n").map(escapeText).join("\n");
}

/** Lines to be shown: each stays one line, with any names in it. */
export function joinLines(lines: readonly string[]): string {
  return lines.map(escapeText).join("\n");
}

/** JSON with two spaces of indentation; JSON.stringify leaves DEL, C1 and bidirectional characters as they are. */
export function safeJson(value: unknown): string {
  const json = JSON.stringify(value, null, 2) ?? "null";
  return json.split("\n").map(escapedJson).join("\n");
}

/** The same on one line. */
export function safeLine(value: unknown): string {
  return escapedJson(JSON.stringify(value) ?? "null");
}

function escapedJson(json: string): string {
  return json.replace(hostile, (character) => `\\u${codeOf(character).toString(16).padStart(4, "0")}`);
}

function codeOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}
