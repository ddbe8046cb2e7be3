/** The texts of the sources that a person may read: literals with words in them, and comments. */

export interface Sentence {
  readonly text: string;
  /** Counted from 1. */
  readonly line: number;
}

interface Texts {
  readonly literals: readonly Sentence[];
  readonly comments: readonly Sentence[];
}

/** Before these a slash begins a regular expression; behind anything else it divides. */
const beforePattern = /(?:^|[(,=:[!&|?{};+\-*%<>~^]|\breturn|\btypeof|\bcase)\s*$/;

/** The texts of a TypeScript file that have at least two words. Parts of a template between its values count apart. */
export function sentencesOf(source: string): Sentence[] {
  return textsOf(source).literals.filter(({ text }) =>
    /[A-Za-zÄÖÜäöü]{2,}[^\n]*\s+[A-Za-zÄÖÜäöü]/.test(text),
  );
}

/** The comments of a TypeScript or C file without their signs, each on one line. Adjacent line comments are one. */
export function commentsOf(source: string): Sentence[] {
  const joined: Sentence[] = [];
  let next = 0;
  for (const { text, line } of textsOf(source).comments) {
    const isLine = text.startsWith("//");
    const words = isLine ? text.slice(2) : text.replace(/^\/\*+|\*+\/$/g, "").replace(/\n\s*\*/g, "\n");
    const clean = words.replace(/\s+/g, " ").trim();
    const last = joined.at(-1);
    if (isLine && last !== undefined && line === next)
      joined[joined.length - 1] = { text: `${last.text} ${clean}`, line: last.line };
    else joined.push({ text: clean, line });
    next = isLine ? line + 1 : 0;
  }
  return joined;
}

function textsOf(source: string): Texts {
  const literals: Sentence[] = [];
  const comments: Sentence[] = [];
  /** Braces that are open within each template that the place is in. */
  const templates: number[] = [];
  let place = 0;
  const lineAt = (index: number): number => source.slice(0, index).split("\n").length;
  const keep = (from: number, to: number): void => {
    literals.push({ text: unescaped(source.slice(from, to)), line: lineAt(from) });
  };
  const readComment = (end: string): number => {
    const to = endOf(source, end, place + 2);
    comments.push({ text: source.slice(place, to).trimEnd(), line: lineAt(place) });
    return to;
  };
  const readTemplate = (from: number): number => {
    for (let at = from; at < source.length; at += 1) {
      if (source[at] === "\\") at += 1;
      else if (source[at] === "`") {
        keep(from, at);
        return at + 1;
      } else if (source.startsWith("${", at)) {
        keep(from, at);
        templates.push(0);
        return at + 2;
      }
    }
    return source.length;
  };
  while (place < source.length) {
    const sign = source[place] ?? "";
    const two = source.slice(place, place + 2);
    if (two === "//") place = readComment("\n");
    else if (two === "/*") place = readComment("*/");
    else if (sign === "/" && beforePattern.test(source.slice(Math.max(0, place - 40), place)))
      place = endOfPattern(source, place + 1);
    else if (sign === '"' || sign === "'") {
      const end = endOfString(source, sign, place + 1);
      keep(place + 1, end - 1);
      place = end;
    } else if (sign === "`") place = readTemplate(place + 1);
    else if (sign === "}" && templates.at(-1) === 0) {
      templates.pop();
      place = readTemplate(place + 1);
    } else {
      const depth = templates.length - 1;
      if (depth >= 0 && (sign === "{" || sign === "}"))
        templates[depth] = (templates[depth] ?? 0) + (sign === "{" ? 1 : -1);
      place += 1;
    }
  }
  return { literals, comments };
}

function endOf(source: string, sign: string, from: number): number {
  const at = source.indexOf(sign, from);
  return at === -1 ? source.length : at + sign.length;
}

function endOfString(source: string, quote: string, from: number): number {
  for (let at = from; at < source.length; at += 1) {
    if (source[at] === "\\") at += 1;
    else if (source[at] === quote || source[at] === "\n") return at + 1;
  }
  return source.length;
}

function endOfPattern(source: string, from: number): number {
  let isClass = false;
  for (let at = from; at < source.length; at += 1) {
    const sign = source[at];
    if (sign === "\\") at += 1;
    else if (sign === "[") isClass = true;
    else if (sign === "]") isClass = false;
    else if (sign === "\n" || (sign === "/" && !isClass)) return at + 1;
  }
  return source.length;
}

function unescaped(text: string): string {
  return text
    .replace(/\\n/g, "\n")
    .replace(/\\u([0-9a-f]{4})/gi, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)))
    .replace(/\\(.)/g, "$1");
}

/** Words of a private language: the glossary has the field's. */
const banned: readonly RegExp[] = [
  /\bwhoever\b/i,
  /\bnobody\b/i,
  /\bsomebody\b/i,
  /\bvouch(es|ed|ing)?\b/i,
  /\bwish(es|ed)?\b/i,
  /\bwhat is\b/i,
  /\bby itself\b/i,
  /\bfor good\b/i,
  /\bhindrances?\b/i,
  /\broot's side\b/i,
  /\bforeign hand\b/i,
  /\b(he|she|his|her|him|himself|herself)\b/i,
];

/** The banned words in a sentence, as they stand there. */
export function bannedWords(text: string): string[] {
  return banned.flatMap((word) => word.exec(text)?.[0] ?? []);
}

/** Finds words that a person who never saw a command line must not see; `keys` name settings, such as `time.mode`. */
export function jargonIn(text: string, keys: readonly string[]): string[] {
  const found: string[] = [];
  if (text.includes("`")) found.push("a backtick");
  const flag = /(^|\s)--[a-z][a-z-]+/.exec(text);
  if (flag) found.push(`the flag ${flag[0].trim()}`);
  if (/\[\^?[a-z0-9]-[a-z0-9]|\\[dws]\b|\(\?[:=!]|\.\*|\]\+/i.test(text)) found.push("a regular expression");
  const words: readonly string[] = text.match(/[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+/g) ?? [];
  return [...found, ...words.filter((word) => keys.includes(word)).map((key) => `the setting ${key}`)];
}
