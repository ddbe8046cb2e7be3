import { stripVTControlCharacters } from "node:util";

/** Bytes kept of what is said, lines shown of them, and characters shown of a line. */
const bounds = { bytes: 8_192, lines: 8, lineCharacters: 100 } as const;

/** What could drive a terminal or reorder what is read. */
const unprintable = /[\p{Cc}\p{Cf}\p{Surrogate}\u2028\u2029]/gu;

/** The end of what a program says, however much that is. */
export interface LastWords {
  add(piece: Uint8Array): void;
  /** Its last lines, in print, on one line; at most 830 characters. */
  text(): string;
}

/** Has heard nothing yet. */
export function createLastWords(): LastWords {
  let heard = Buffer.alloc(0);
  return {
    add: (piece) => {
      heard = Buffer.concat([heard, piece.subarray(-bounds.bytes)]).subarray(-bounds.bytes);
    },
    text: () => {
      const lines = stripVTControlCharacters(heard.toString("utf8")).split("\n").map(printable);
      return lines
        .filter((line) => line !== "")
        .slice(-bounds.lines)
        .join(" | ");
    },
  };
}

function printable(line: string): string {
  const text = line.replace(unprintable, " ").trim();
  return text.length > bounds.lineCharacters ? `${text.slice(0, bounds.lineCharacters)}…` : text;
}
