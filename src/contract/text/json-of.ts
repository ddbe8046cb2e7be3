import { textOf } from "./text-of.ts";

/** Deeper nesting than any document has; a root of trust in a configuration is the deepest. */
const mostDepth = 64;

/** Characters of a member's name in a reason: a stranger's can be as long as a body. */
const longestName = 128;

/** Makes the error of a reason that continues after the name of the file or body. */
type Refuse = (why: string) => Error;

/**
 * The value of a JSON text (RFC 8259) that every program reads alike: no member is there twice, since a program that
 * checked it before may have read the other one, and no text has half a character. Throws what `refuse` makes, with line,
 * column and JSON Pointer, in the same words on each runtime, and without any value of the text, which may be secret.
 */
export function jsonOf(text: string, refuse: Refuse): unknown {
  new Reader(text, refuse).whole();
  return JSON.parse(text);
}

/** The same of a file. */
export function jsonIn(bytes: Uint8Array, refuse: Refuse): unknown {
  return jsonOf(textOf(bytes, { refuse }), refuse);
}

/** A JSON text that JSON.stringify has made, for strict readers, which refuse half a character in any text of it. */
export function wellFormed(json: string): string {
  if (!json.includes("\\ud")) return json;
  return JSON.stringify(
    JSON.parse(json, (_, value: unknown) => (typeof value === "string" ? value.toWellFormed() : value)),
  );
}

/** The value of a JSON text that a program has written; undefined: it is none. */
export function valueIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The same for an object or a list, as an object; undefined: it is none. */
export function objectIn(text: string): Record<string, unknown> | undefined {
  const value = valueIn(text);
  return typeof value === "object" && value !== null ? { ...value } : undefined;
}

const blanks = /[ \t\n\r]*/y;
const scalar = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y;
/** Up to its end, whatever is in it; each sign can be matched in one way only, so that it takes linear time. */
const string = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"/y;
/** Escapes, and as a group the signs that must not be in a text. */
const wrongInString = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})|(\\|(?![\u007f-\u009f])\p{Cc})/gu;

type Habits = readonly (readonly [RegExp, string])[];

/** Habits of people and of other languages, where JSON has something else: anywhere, and in place of a value or a name. */
const anywhere: Habits = [
  [/$/y, "it ends here, and something is missing"],
  [/\/[/*]|#|<!--/y, "a comment is here, and JSON has none"],
  [/\ufeff/y, "a byte order mark is here"],
  [/[^\S \t\n\r]/y, "a blank is here that JSON does not have, such as a no-break space"],
];
const inPlaceOfValue: Habits = [
  [/['`\u2018-\u201f\u00ab\u00bb\u2039\u203a]/y, 'a quotation mark other than " is here'],
  [
    /[-+]?(?:NaN|nan|Infinity|inf|undefined|None)\b/y,
    "a value is here that JSON does not have; null may be meant",
  ],
  [/(?:True|TRUE|False|FALSE|Null|NULL)\b/y, "true, false and null are written in small letters"],
  [/[-+.\d]/y, "a number is not written as JSON has it, such as 8, -0.5 or 1e3"],
  [/[\p{L}_$]/uy, 'a text or name is not in quotation marks (")'],
];

class Reader {
  readonly #text: string;
  readonly #refuse: Refuse;
  readonly #path: (string | number)[] = [];
  #at = 0;

  constructor(text: string, refuse: Refuse) {
    this.#text = text;
    this.#refuse = refuse;
  }

  whole(): void {
    this.#take(blanks);
    this.#value();
    if (this.#at < this.#text.length) this.#unexpected("the end", anywhere);
  }

  #value(): void {
    if (this.#path.length > mostDepth) this.#fail(`it is nested deeper than ${mostDepth}`);
    if (this.#is("{")) this.#entries("}", new Set());
    else if (this.#is("[")) this.#entries("]");
    else if (this.#is('"')) this.#string();
    else this.#scalar();
    this.#take(blanks);
  }

  /** `names`: those of an object, which has them before its values. */
  #entries(end: string, names?: Set<string>): void {
    this.#skip();
    for (let index = 0; !this.#is(end); index += 1) {
      if (index > 0 && !this.#is(",")) this.#unexpected(`a comma or ${end}`, anywhere);
      if (index > 0) this.#skip();
      if (index > 0 && this.#is(end)) this.#fail(`a comma is before ${end}`);
      this.#path.push(names ? this.#name(names) : index);
      this.#value();
      this.#path.pop();
    }
    this.#skip();
  }

  #name(names: Set<string>): string {
    const start = this.#at;
    const name = this.#is('"') ? this.#string() : this.#unexpected("a member's name");
    if (names.has(name))
      this.#fail(`the member ${JSON.stringify(name.slice(0, longestName))} is there twice`, start);
    names.add(name);
    this.#take(blanks);
    if (!this.#is(":")) this.#unexpected("a colon", anywhere);
    this.#skip();
    return name;
  }

  #scalar(): void {
    const start = this.#at;
    const found = this.#take(scalar) ?? this.#unexpected("a value");
    if (/\d/.test(found) && !Number.isFinite(Number(found))) this.#fail("a number is too large", start);
  }

  #string(): string {
    const start = this.#at;
    const found = this.#take(string) ?? this.#fail("a text does not end: a quotation mark is missing");
    const value = valueIn(found);
    if (typeof value !== "string") {
      const [wrong] = [...found.matchAll(wrongInString)].filter((one) => one[1] !== undefined);
      const why =
        wrong?.[1] === "\\"
          ? "a backslash is before a sign that needs none; the backslash itself is written \\\\"
          : "a control character is in a text; a line end is written \\n, a tab \\t";
      return this.#fail(why, start + (wrong?.index ?? 0));
    }
    // Only an escape can make half a character.
    if (found.includes("\\u") && /\p{Surrogate}/u.test(value))
      this.#fail("a text has half a character (a lone surrogate)", start);
    return value;
  }

  #is(sign: string): boolean {
    return this.#text[this.#at] === sign;
  }

  #skip(): void {
    this.#at += 1;
    this.#take(blanks);
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const [found] = pattern.exec(this.#text) ?? [];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #unexpected(wanted: string, habits: Habits = [...anywhere, ...inPlaceOfValue]): never {
    const at = this.#at;
    const [, habit] = habits.find(([form]) => this.#take(form) !== undefined) ?? [];
    this.#fail(habit ?? `${wanted} is missing`, at);
  }

  #fail(why: string, at = this.#at): never {
    const before = this.#text.slice(0, at).split(/\r\n?|\n/);
    const column = [...(before.at(-1) ?? "")].length + 1;
    // RFC 6901 §3
    const names = this.#path.map((name) =>
      String(name).slice(0, longestName).replaceAll("~", "~0").replaceAll("/", "~1"),
    );
    const pointer = names.length === 0 ? "" : ` (/${names.join("/")})`;
    throw this.#refuse(`is not JSON at line ${before.length}, column ${column}${pointer}: ${why}`);
  }
}
