import type { Fault } from "../../contract/errors.ts";

/*
 * Codes as people send them: from phones, keyboards of other scripts, word processors, chats and messages, with words
 * around them. What is meant is read; a text in which there is no code is no guess at one.
 */

/** Longer than a message that has a code in it. The contract lets no longer text in. */
const longestText = 256;

/** The text in ASCII's letters and digits, blanks as one, dashes as hyphens, nothing invisible; empty if it is too long. */
function plain(text: string): string {
  if (text.length > longestText) return "";
  return text
    .normalize("NFKC")
    .replace(/\p{Nd}/gu, digitOf)
    .replace(/[\s\p{Z}]+/gu, " ")
    .replace(/[\p{Cf}\p{Mn}\p{Me}]/gu, "")
    .replace(/[\p{Pd}\u2212\u30fc]/gu, "-");
}

/** Unicode §4.6: the ten digits of a script follow each other. */
function digitOf(digit: string): string {
  const point = digit.codePointAt(0) ?? 0;
  let before = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(point - before - 1))) before += 1;
  return String(before % 10);
}

/** The text without blanks, hyphens and invisible characters. */
export function withoutBlanks(text: string): string {
  return plain(text).replace(/[ -]/g, "");
}

/** The six digits of an authenticator's code; undefined: no such number is in the text, or more than one. */
export function readCode(text: string): string | undefined {
  const numbers = plain(text).match(/(?<![\p{L}\p{N}])[0-9](?:[ -]*[0-9])*(?![\p{L}\p{N}])/gu) ?? [];
  return theOnly(numbers.map(withoutBlanks).filter((digits) => digits.length === 6));
}

/**
 * The 16 symbols of a recovery code, in capitals, after the number that it has in a list and within words and punctuation.
 * Small letters, other groups and look-alikes (O for 0, I and L for 1) are accepted, as Crockford asks. Undefined: none, or
 * more than one.
 */
export function readRecoveryCode(text: string): string | undefined {
  const typed = plain(text)
    .replace(/[a-z]/g, (letter) => letter.toUpperCase())
    .replaceAll("O", "0")
    .replace(/[IL]/g, "1");
  const bare = withoutBlanks(typed.replace(/^[^\p{L}\p{N}]*(?:\d{1,2}[.):] ?)?|[^\p{L}\p{N}]+$/gu, ""));
  if (/^[0-9A-HJKMNP-TV-Z]{16}$/.test(bare)) return bare;
  const grouped = typed.match(
    /(?<![\p{L}\p{N}-])(?:[0-9A-HJKMNP-TV-Z]{4} ?-+ ?){3}[0-9A-HJKMNP-TV-Z]{4}(?![\p{L}\p{N}-])/gu,
  );
  return theOnly((grouped ?? []).map(withoutBlanks));
}

/** A token in small letters, of groups as `makeInitialPassword` makes them, or the text as it is without what is around it. */
export function readToken(text: string): string {
  const typed = plain(text).trim();
  const [grouped] =
    typed.match(/(?<![\p{L}\p{N}])(?:[0-9a-z]{5}[ -]+){3}[0-9a-z]{5}(?![\p{L}\p{N}])/iu) ?? [];
  if (grouped !== undefined) return grouped.replace(/[ -]+/g, "-").toLowerCase();
  return typed.replaceAll(" ", "").replace(/^["'`“„«‘‚(<]+|["'`”“»’)>.,;]+$/g, "");
}

function theOnly(found: readonly string[]): string | undefined {
  const [one, ...others] = new Set(found);
  return others.length === 0 ? one : undefined;
}

/** The faults of entries that are no code, before any secret: the answer depends only on the text, nothing is counted. */
export function codeFaults(
  given: {
    readonly [member in (typeof kinds)[number][0]]?: string | undefined;
  } & { readonly passkey?: object | undefined },
): readonly Fault[] {
  // Codes beside a passkey are not judged.
  if (given.passkey !== undefined) return [];
  return kinds.flatMap(([member, read, code, expected], index): Fault[] => {
    const text = given[member];
    if (text === undefined || read(text) !== undefined) return [];
    const other = kinds.find(([, readOther], at) => at !== index && readOther(text) !== undefined);
    const detail =
      other === undefined ? expected : `is a ${other[0].replace("_", " ")}: send it as \`${other[0]}\``;
    const sentence = `\`${member}\` ${detail}`;
    return [{ pointer: `/${member}`, code, detail, as: "validation_failed", sentence }];
  });
}

const kinds = [
  ["code", readCode, "no_code", "must be the six digits that the authenticator shows"],
  ["recovery_code", readRecoveryCode, "no_recovery_code", "must be a code of 16 letters and digits"],
] as const;
