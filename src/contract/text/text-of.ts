/** The ways in which programs begin a file that is no text, by its first bytes as Latin-1. */
const kinds = [
  ["\u0089PNG", "a picture"],
  ["\u00ff\u00d8\u00ff", "a picture"],
  ["PK\u0003\u0004", "a zip file, as spreadsheets and word processors save"],
  ["\u001f\u008b", "compressed by gzip"],
  ["%PDF-", "a PDF document"],
] as const;

export type Encoding = "utf-8" | "utf-16le" | "utf-16be" | "windows-1252";

interface Reading {
  /** Makes the error of a reason that continues after the name of the file or stream. */
  readonly refuse: (why: string) => Error;
  /** The encoding of what is not UTF-8, for files in which spreadsheets or comments have it. */
  readonly otherwise?: Encoding | undefined;
  /** The number of the first line. */
  readonly line?: number;
}

/**
 * The text of a file or stream that a person hands in, as editors, spreadsheets and shells write it: UTF-8 with a byte order
 * mark or without, or UTF-16 with one. Its lines end with LF, also those that ended with CR LF or CR. Throws what `refuse`
 * makes of anything else, with the line; no part of the text is in the reason, since it may be secret.
 */
export function textOf(bytes: Uint8Array, { refuse, otherwise, line = 1 }: Reading): string {
  const start = String.fromCharCode(...bytes.subarray(0, 5));
  const [, kind] = kinds.find(([beginning]) => start.startsWith(beginning)) ?? [];
  if (kind !== undefined) throw refuse(`is ${kind}, and no text`);
  const encoding = start.startsWith("\u00ff\u00fe")
    ? "utf-16le"
    : /^\u00fe\u00ff/.test(start)
      ? "utf-16be"
      : "utf-8";
  const decoded = decode(bytes, encoding) ?? (otherwise && decode(bytes, otherwise));
  const text = (decoded ?? new TextDecoder(encoding).decode(bytes)).replace(/\r\n?/g, "\n");
  const fail = (sign: string, why: string) => {
    const before = text.slice(0, text.indexOf(sign)).split("\n");
    return refuse(
      `${why} (line ${line + before.length - 1}, character ${[...(before.at(-1) ?? "")].length + 1})`,
    );
  };
  if (/^(?:[^\0]\0)+$|^(?:\0[^\0])+$/.test(text.slice(0, 64)))
    throw refuse("is UTF-16 without a byte order mark. Save it as UTF-8");
  if (text.includes("\0")) throw fail("\0", "has a NUL byte, so it is not text");
  if (decoded === undefined)
    throw fail(
      "\ufffd",
      `is not ${encoding.toUpperCase()}, but perhaps Latin-1 or Windows-1252. Save it as UTF-8`,
    );
  return text;
}

function decode(bytes: Uint8Array, encoding: Encoding): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
