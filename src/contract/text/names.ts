/** The user name that is meant, from a phone's large first letter, full width, or blanks. Only ASCII is folded. */
export function asUsername(text: string): string {
  return text
    .replace(/^[\s\p{Cf}]+|[\s\p{Cf}]+$/gu, "")
    .replace(/[\uff01-\uff5e]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
    .replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Characters that are invisible, or look like a blank. */
const unseen: readonly (readonly [RegExp, string])[] = [
  [/\u00a0|\u202f/, "a no-break space"],
  [/\u00ad/, "a soft hyphen"],
  [/[\u200b-\u200d\u2060]/, "a character of no width"],
  [/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/, "a mark of the direction of writing"],
  [/\ufeff/, "a byte order mark"],
  [/[\n\r\u0085\u2028\u2029]/, "a line end"],
  [/\t/, "a tab"],
  [/[\p{Zs}\u115f\u1160\u2800\u3164\uffa0]/u, "a blank"],
  [/[\p{Cf}\p{Cc}]/u, "a control character"],
];

/** The first character that `form` finds, by its name and place, from 1; undefined: there is none. */
export function strangerIn(text: string, form: RegExp): string | undefined {
  const at = text.search(form);
  if (at < 0) return undefined;
  const [sign = ""] = text.slice(at);
  const [, name] = unseen.find(([one]) => one.test(sign)) ?? [];
  const code = `U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
  return `${name === undefined ? `"${sign}"` : `${name} (${code})`} at place ${[...text.slice(0, at)].length + 1}`;
}
