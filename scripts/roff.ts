/** The manual pages share this: man(7)'s language. */

/** Which program a manual page is of. */
export interface Edition {
  readonly version: string;
  /** YYYY-MM-DD, or empty. */
  readonly date: string;
}

/** Text in which roff finds nothing to carry out: no request at the start of a line, no escape, hyphens that can be copied. */
export function plain(text: string): string {
  const escaped = text.replaceAll("\\", "\\e").replaceAll("-", "\\-").replaceAll('"', "\\(dq");
  // groff_char(7): by its number, whatever roff takes the file to be encoded in.
  const numbered = (character: string) =>
    `\\[u${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}]`;
  const safe = escaped.replace(/[^\p{ASCII}]/gu, numbered);
  return /^[.']/.test(safe) ? `\\&${safe}` : safe;
}
