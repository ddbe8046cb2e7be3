import { StewardError } from "../contract/errors.ts";
import type { CommonPasswords } from "./common-passwords.ts";

/** Long enough for any passphrase. It is bounded so that a request cannot make the agent normalise megabytes. */
const maximumCharacters = 256;

/** Shorter parts of a password do not count after a name has been taken out of it. */
const shortestRemainder = 8;

/** Shorter names occur in ordinary words. */
const shortestName = 4;

export interface PasswordContext {
  minimumCharacters: number;
  /** User, host and product names. */
  names: readonly string[];
  common: CommonPasswords;
}

/**
 * Throws `password_too_short`, `password_too_long`, `password_contains_identity` or `password_blocklisted`, with the
 * reason. There are no rules of composition (NIST SP 800-63B-4 §3.1.1.2).
 */
export function checkNewPassword(password: string, context: PasswordContext): void {
  const normal = password.normalize("NFKC");
  const length = [...normal].length;
  if (length < context.minimumCharacters) {
    throw new StewardError(
      "password_too_short",
      `The password has ${length} characters; at least ${context.minimumCharacters} are needed. Three or four unrelated words make a good one.`,
    );
  }
  if (length > maximumCharacters) {
    throw new StewardError(
      "password_too_long",
      `The password has ${length} characters; at most ${maximumCharacters} are accepted.`,
    );
  }
  const forms = foldings(normal);
  const name = forms.map((form) => nameItRestsOn(form, context)).find((found) => found !== undefined);
  if (name !== undefined) {
    throw new StewardError(
      "password_contains_identity",
      `The password is little more than the name "${name}", which attackers try first.`,
    );
  }
  const reason = forms.map((form) => weakness(form, context.common)).find((found) => found !== undefined);
  if (reason !== undefined) throw new StewardError("password_blocklisted", `The password ${reason}.`);
}

/**
 * The forms of a password that a guesser tries: lower case, and with digits replaced by the letters that they usually
 * mean.
 */
function foldings(password: string): string[] {
  const lower = password.toLowerCase();
  const letters: Record<string, string> = {
    "0": "o",
    "1": "l",
    "3": "e",
    "4": "a",
    "5": "s",
    "7": "t",
    "@": "a",
    $: "s",
    "!": "i",
  };
  const unleet = [...lower].map((character) => letters[character] ?? character).join("");
  return [lower, unleet];
}

function nameItRestsOn(form: string, context: PasswordContext): string | undefined {
  for (const name of context.names) {
    const lower = name.toLowerCase();
    if (lower.length < shortestName || !form.includes(lower)) continue;
    const remainder = form.split(lower).join("");
    if (remainder.length < shortestRemainder || isGuessable(stripped(remainder), context.common)) return name;
  }
  return undefined;
}

/** The reason, in words that repeat no part of the password: they end up on screens and in logs of clients. */
function weakness(form: string, common: CommonPasswords): string | undefined {
  const whole = stripped(form);
  if (common.has(form) || common.has(whole)) return "is one of the most common ones";
  if (new Set(form).size < 5) return "uses fewer than five different characters";
  const unit = repeatedUnit(whole);
  if (unit !== undefined && (unit.length < shortestRemainder || isGuessable(unit, common))) {
    return "only repeats one short or common piece";
  }
  const isJoined = [form, whole, withoutPadding(whole, common)].some((text) =>
    isTwoGuessableParts(text, common),
  );
  if (isJoined) return "is only two common words or sequences joined together";
  return undefined;
}

/** The text without the characters that people put between words. */
function stripped(form: string): string {
  return form.replace(/[\s._\-+,;:/]+/gu, "");
}

/** Characters of digits and signs before and after that add little: a few of them, or a common sequence. */
const littlePadding = 4;

function withoutPadding(text: string, common: CommonPasswords): string {
  const [, before = "", core = "", after = ""] = /^([^\p{L}]*)(.*?)([^\p{L}]*)$/su.exec(text) ?? [];
  const addsLittle = (padding: string) => padding.length <= littlePadding || isGuessable(padding, common);
  return addsLittle(before) && addsLittle(after) ? core : text;
}

/** The shortest piece of which the text is a whole number of repetitions; undefined if only the text itself is. */
function repeatedUnit(text: string): string | undefined {
  const period = `${text}${text}`.indexOf(text, 1);
  return period < text.length ? text.slice(0, period) : undefined;
}

function isTwoGuessableParts(text: string, common: CommonPasswords): boolean {
  for (let cut = 1; cut < text.length; cut += 1) {
    if (isGuessable(text.slice(0, cut), common) && isGuessable(text.slice(cut), common)) return true;
  }
  return false;
}

function isGuessable(part: string, common: CommonPasswords): boolean {
  return part === "" || common.has(part) || isRun(part);
}

/** True for `aaaa`, `12345678`, `zyxw`: each character has the same distance to the one before. */
function isRun(part: string): boolean {
  const points = [...part].map((character) => character.codePointAt(0) ?? 0);
  const step = (points[1] ?? 0) - (points[0] ?? 0);
  if (Math.abs(step) > 1) return false;
  return points.every((point, index) => index === 0 || point - (points[index - 1] ?? 0) === step);
}
