import { CommandError } from "./command-error.ts";

/** A SHA-256 in readable groups, eight in each of two lines; each line ends in a line feed. */
export function fingerprintGroups(fingerprint: string): string {
  const groups = fingerprint.match(/.{1,4}/g) ?? [];
  return [groups.slice(0, 8), groups.slice(8)].map((line) => `  ${line.join(" ")}\n`).join("");
}

/** The agent's spelling of a fingerprint, from blanks, colons, capitals. Throws CommandError(6) for a part: no proof. */
export function readFingerprint(text: string): string {
  const digits = text.replace(/[\s:]/g, "").toLowerCase();
  if (/^[0-9a-f]{64}$/.test(digits)) return digits;
  throw new CommandError(
    6,
    `"${text}" is not a complete fingerprint: it must have 64 hexadecimal digits, in groups or not, and has ${digits.length}.`,
  );
}
