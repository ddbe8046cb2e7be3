import { StewardError } from "../contract/errors.ts";
import type { Caps } from "./caps.ts";
import { atOnce, type Steps } from "./steps.ts";

type Limits = Pick<Caps, "jsonDepth" | "jsonValues">;

/**
 * Reads JSON (RFC 8259) that every reader reads alike: UTF-8 without a mark, no member twice, integers that a double
 * holds exactly, bounded nesting and number, no `__proto__`. Two readers that disagree about a file would disagree
 * about what was signed. Throws `update_metadata_malformed` with the place.
 */
export function parseStrictJson(bytes: Uint8Array, limits: Limits): unknown {
  return atOnce(strictJson(bytes, limits));
}

/** The same in steps. */
export function* strictJson(bytes: Uint8Array, limits: Limits): Steps<unknown> {
  const reader = new Reader(textOf(bytes), limits);
  return reader.end(yield* reader.value(0));
}

/** Characters that are read in a step, and those of a string, which is read in one. */
const [stepCharacters, mostCharacters] = [32_768, 1_048_576];

/** Members of an object, which are put in order in one step. */
const mostMembers = 50_000;

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new StewardError("update_metadata_malformed", "It is not UTF-8 text.", { cause });
  }
}

const blanks = /[ \t\n\r]*/y;
const literal = /true|false|null/y;
/** Any text that begins like a number, to its end. */
const number = /-?[0-9][0-9.eE+-]*/y;
/** Minus zero is excluded: its canonical form is that of another number. */
const integer = /^(?:0|-?[1-9][0-9]*)$/;

class Reader {
  readonly #text: string;
  readonly #limits: Limits;
  #at = 0;
  #values = 0;
  #restAt = stepCharacters;

  constructor(text: string, limits: Limits) {
    this.#text = text;
    this.#limits = limits;
    this.#take(blanks);
  }

  *value(depth: number): Steps<unknown> {
    if (this.#at >= this.#restAt) {
      this.#restAt = this.#at + stepCharacters;
      yield;
    }
    const { jsonDepth, jsonValues } = this.#limits;
    this.#values += 1;
    if (depth > jsonDepth) this.#fail(`is nested deeper than ${jsonDepth}`);
    if (this.#values > jsonValues) this.#fail(`holds more than ${jsonValues} values`);
    switch (this.#text[this.#at]) {
      case "{":
        return yield* this.#object(depth);
      case "[":
        return yield* this.#array(depth);
      case '"':
        return this.#string();
      default:
        return this.#scalar();
    }
  }

  end(value: unknown): unknown {
    return this.#at < this.#text.length ? this.#fail("continues after its end") : value;
  }

  *#object(depth: number): Steps<object> {
    const members = new Map<string, unknown>();
    this.#skip(1);
    while (this.#text[this.#at] !== "}") {
      if (members.size > 0) this.#expect(",");
      if (this.#text[this.#at] !== '"') this.#fail("has no member's name where one must be");
      const name = this.#string();
      if (name === "__proto__") this.#fail("has a member __proto__, which no metadata have");
      if (members.has(name)) this.#fail(`has the member ${JSON.stringify(name)} twice`);
      this.#expect(":");
      members.set(name, yield* this.value(depth + 1));
      if (members.size > mostMembers) this.#fail(`has an object of more than ${mostMembers} members`);
    }
    this.#skip(1);
    // Without a prototype, so that a foreign name is either a member or absent.
    return Object.setPrototypeOf(Object.fromEntries(members), null);
  }

  *#array(depth: number): Steps<unknown[]> {
    const items: unknown[] = [];
    this.#skip(1);
    while (this.#text[this.#at] !== "]") {
      if (items.length > 0) this.#expect(",");
      items.push(yield* this.value(depth + 1));
    }
    this.#skip(1);
    return items;
  }

  #string(): string {
    const text = this.#text.slice(this.#at, this.#endOfString());
    this.#at += text.length;
    if (text.length > mostCharacters) this.#fail(`has a string of more than ${mostCharacters} characters`);
    const value = this.#unescaped(text);
    // Half a character has no UTF-8, so the signed text would differ from the one that is read.
    if (/\p{Surrogate}/u.test(value)) this.#fail("has a string with half a character");
    this.#take(blanks);
    return value;
  }

  /** The index after the quote that ends the string; a loop, since a pattern would backtrack over megabytes. */
  #endOfString(): number {
    for (let index = this.#at + 1; index < this.#text.length; index += 1) {
      const sign = this.#text[index];
      if (sign === '"') return index + 1;
      if (sign === "\\") index += 1;
    }
    return this.#fail("has a string that does not end");
  }

  #unescaped(text: string): string {
    try {
      return JSON.parse(text) as string;
    } catch {
      return this.#fail("has a string with a control character or an escape that JSON does not know");
    }
  }

  #scalar(): unknown {
    const text = this.#take(literal) ?? this.#integer();
    this.#take(blanks);
    return JSON.parse(text);
  }

  #integer(): string {
    const text = this.#take(number) ?? this.#fail("is not JSON");
    if (!integer.test(text) || !Number.isSafeInteger(Number(text))) {
      this.#fail(
        `has the number ${text.slice(0, 40)}, and only integers below 2^53 are read alike by everybody`,
      );
    }
    return text;
  }

  #expect(sign: string): void {
    if (this.#text[this.#at] !== sign) this.#fail(`lacks a "${sign}"`);
    this.#skip(1);
  }

  #skip(length: number): void {
    this.#at += length;
    this.#take(blanks);
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const [found] = pattern.exec(this.#text) ?? [];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #fail(what: string): never {
    throw new StewardError("update_metadata_malformed", `It ${what} (at character ${this.#at}).`);
  }
}
