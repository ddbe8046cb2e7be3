import { StewardError } from "../../contract/errors.ts";
import { strangerIn } from "../../contract/text/names.ts";
import type { CommonPasswords } from "./common-passwords.ts";

/** Long enough for any passphrase. It is bounded so that a request cannot make the agent normalise megabytes. */
const maximumCharacters = 256;

/** Shorter parts of a password do not count after a name has been taken out of it. */
const shortestRemainder = 8;

/** Shorter names occur in ordinary words. */
const shortestName = 4;

/** Characters of the longest text that is tried as three words: the time for it grows with their cube. */
const longestOfThree = 64;

/** The names and words that guessers try first. */
export interface Guesses {
  /** User, host and product names. */
  readonly names: readonly string[];
  readonly common: CommonPasswords;
}

/**
 * Throws `password_too_short`, `password_too_long`, `password_contains_identity` or `password_blocklisted`, with the
 * reason. There are no rules of composition (NIST SP 800-63B-4 §3.1.1.2).
 */
export function checkNewPassword(
  password: string,
  context: Guesses & { readonly minimumCharacters: number },
): void {
  refuseUnseenEnds(password);
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
  const [code, reason] = faultOf(normal, context, 2) ?? [];
  if (code) throw new StewardError(code, `The password ${reason}.`);
}

/** Throws `validation_failed` for an invisible character at an end, from copying. A blank, or one between, can be meant. */
export function refuseUnseenEnds(password: string): void {
  const stranger = strangerIn(password, /^(?! )[\p{C}\p{Z}]|(?! )[\p{C}\p{Z}]$/u);
  if (stranger === undefined) return;
  throw new StewardError(
    "validation_failed",
    `The password has ${stranger}, its beginning or end: it is not visible, and comes from copying, so that the password as it is typed would be another one. Give the password without it. Nothing was changed.`,
  );
}

/** Throws `passphrase_guessable`. Who has the backup can try without end: three common words are too few as well. */
export function checkPassphrase(passphrase: string, guesses: Guesses): void {
  const [, reason] = faultOf(passphrase.normalize("NFKC"), guesses, 3) ?? [];
  if (reason === undefined) return;
  throw new StewardError(
    "passphrase_guessable",
    `The passphrase ${reason}, and who has the backup can try as many as they like. Take six unrelated words. No backup was made.`,
  );
}

/** The first fault; its reason continues a sentence. `parts`: so many common words are too few. */
function faultOf(
  text: string,
  { names, common }: Guesses,
  parts: 2 | 3,
): readonly ["password_contains_identity" | "password_blocklisted", string] | undefined {
  const first = (judge: (form: string) => string | undefined) =>
    foldings(text)
      .map(judge)
      .find((found) => found !== undefined);
  const name = first((form) => nameItRestsOn(form, { names, common }));
  if (name !== undefined)
    return [
      "password_contains_identity",
      `is little more than the name "${name}", which attackers try first`,
    ];
  const reason = first((form) => weakness(form, common, parts));
  return reason === undefined ? undefined : ["password_blocklisted", reason];
}

/** The forms that a guesser tries: lower case, and with the letters that digits usually stand for. */
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

function nameItRestsOn(form: string, context: Guesses): string | undefined {
  for (const name of context.names) {
    const lower = name.toLowerCase();
    if (lower.length < shortestName || !form.includes(lower)) continue;
    const remainder = form.split(lower).join("");
    if (remainder.length < shortestRemainder || isGuessable(stripped(remainder), context.common)) return name;
  }
  return undefined;
}

/** The reason, in words that repeat no part of the password: they end up on screens and in logs of clients. */
function weakness(form: string, common: CommonPasswords, parts: 2 | 3): string | undefined {
  const whole = stripped(form);
  if (common.has(form) || common.has(whole)) return "is one of the most common ones";
  if (new Set(form).size < 5) return "uses fewer than five different characters";
  const unit = repeatedUnit(whole);
  const core = withoutPadding(unit ?? whole, common);
  if (core.length < shortestRemainder || common.has(core))
    return unit === undefined
      ? "is only a short or common word with digits and signs around it"
      : "only repeats one short or common piece";
  const isJoined = [form, whole, core].some((text) => isJoinedOf(parts, text, common));
  const count = parts === 2 ? "two" : "two or three";
  return isJoined ? `is only ${count} common words or sequences joined together` : undefined;
}

/** The text without the characters that people put between words. */
function stripped(form: string): string {
  return form.replace(/[\s._\-+,;:/]+/gu, "");
}

/** Characters of digits and signs before and after that add little, beside years and repetitions; so does a common sequence. */
const littlePadding = 4;

function withoutPadding(text: string, common: CommonPasswords): string {
  const [, before = "", core = "", after = ""] = /^([^\p{L}]*)(.*?)([^\p{L}]*)$/su.exec(text) ?? [];
  const addsLittle = (padding: string) =>
    padding.replace(/(?:19|20)\d\d/g, "").replace(/(.)\1+/gsu, "$1").length <= littlePadding ||
    isGuessable(padding, common);
  return addsLittle(before) && addsLittle(after) ? core : text;
}

/** The shortest piece of which the text is a whole number of repetitions; undefined if only the text itself is. */
function repeatedUnit(text: string): string | undefined {
  const period = `${text}${text}`.indexOf(text, 1);
  return period < text.length ? text.slice(0, period) : undefined;
}

/** `parts`: two, or as many as three. */
function isJoinedOf(parts: 2 | 3, text: string, common: CommonPasswords): boolean {
  const mayHaveThree = parts === 3 && text.length <= longestOfThree;
  for (let cut = 1; cut < text.length; cut += 1) {
    if (!isGuessable(text.slice(0, cut), common)) continue;
    const rest = text.slice(cut);
    if (isGuessable(rest, common) || (mayHaveThree && isJoinedOf(2, rest, common))) return true;
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
