import { CommandError } from "../client/context.ts";

/** A SHA-256 in groups that an eye can hold, two lines of eight; each line ends in a line feed. */
export function fingerprintGroups(fingerprint: string): string {
  const groups = fingerprint.match(/.{1,4}/g) ?? [];
  return [groups.slice(0, 8), groups.slice(8)].map((line) => `  ${line.join(" ")}\n`).join("");
}

/**
 * The fingerprint as the agent writes it, from one with blanks, colons or capitals, such as somebody has read out.
 * Throws CommandError(6) for less than the whole: whoever compares a part of it compares nothing.
 */
export function readFingerprint(text: string): string {
  const digits = text.replace(/[\s:]/g, "").toLowerCase();
  if (/^[0-9a-f]{64}$/.test(digits)) return digits;
  throw new CommandError(
    6,
    `"${text}" is not a whole fingerprint: 64 hexadecimal digits were expected, in groups or not, and ${digits.length} characters came.`,
  );
}
