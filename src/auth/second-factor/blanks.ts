/** The blanks that phones, password managers and chat programs put between the groups of a copied code. */
const blanks = /[ \t\r\n\v\f\u00a0\u2007\u2009\u202f]/g;

/** The text without ASCII blanks, no-break spaces, thin and figure spaces. */
export function withoutBlanks(text: string): string {
  return text.replace(blanks, "");
}
