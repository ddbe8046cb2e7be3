import { StewardError } from "../../contract/errors.ts";

/** Characters of a name that are shown. */
const shownCharacters = 120;

/** Characters that could control a terminal or reorder text, and lone surrogates. */
const unprintable = /[\p{Cc}\p{Cf}\p{Surrogate}\u2028\u2029]/gu;

/** `update_payload_unsafe` with the fault of the payload, or of the entry named, in printable characters. */
export function unsafePayload(
  why: string,
  { name, cause }: { name?: string; cause?: unknown } = {},
): StewardError {
  const subject = name === undefined ? "" : `${printableName(name)} `;
  return new StewardError(
    "update_payload_unsafe",
    `The payload cannot be unpacked safely: ${subject}${why}.`,
    {
      cause,
    },
  );
}

/** The name in quotes, on one line, shortened, with `\u{…}` for unprintable characters. */
export function printableName(name: string): string {
  const shown = [...name].slice(0, shownCharacters).join("");
  const safe = shown.replace(unprintable, (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`);
  return `"${safe}${shown.length < name.length ? "…" : ""}"`;
}
