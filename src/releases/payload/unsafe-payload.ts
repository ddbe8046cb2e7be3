import { StewardError } from "../../contract/errors.ts";

const shownCharacters = 120;

/** Characters that could control a terminal or reorder text, and lone surrogates. */
const unprintable = /[\p{Cc}\p{Cf}\p{Surrogate}\u2028\u2029]/gu;

interface About {
  /** The entry at fault; undefined: the archive itself. */
  readonly name?: string | undefined;
  /** For the maker of the archive: sentences. */
  readonly wayOut?: string | undefined;
  readonly cause?: unknown;
}

/** `update_payload_unsafe` with the fault of the payload, or of the entry named, in printable characters. */
export class UnsafePayload extends StewardError {
  /** Continues a sentence about the payload or the entry. */
  readonly why: string;
  readonly entry: string | undefined;
  readonly wayOut: string;

  constructor(why: string, { name, wayOut, cause }: About = {}) {
    const subject = name === undefined ? "" : `${printableName(name)} `;
    super("update_payload_unsafe", `The payload cannot be unpacked safely: ${subject}${why}.`, { cause });
    this.why = why;
    this.entry = name;
    this.wayOut = wayOut ?? "Make it again with: tar -czf FILE.tar.gz -C DIRECTORY .";
  }
}

export function unsafePayload(why: string, about?: About): UnsafePayload {
  return new UnsafePayload(why, about);
}

/** The name in quotes, on one line, shortened, with `\u{…}` for unprintable characters. */
export function printableName(name: string): string {
  const shown = [...name].slice(0, shownCharacters).join("");
  const safe = shown.replace(unprintable, (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`);
  return `"${safe}${shown.length < name.length ? "…" : ""}"`;
}
