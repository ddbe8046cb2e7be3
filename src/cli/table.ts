import { escapeText } from "./escape.ts";

export type Fields = readonly (readonly [name: string, value: unknown])[];

export interface Table {
  readonly heads: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}

/** Aligned columns under their heads, each line ending in a line feed. */
export function formatTable({ heads, rows }: Table): string {
  return alignColumns([heads, ...rows.map((row) => row.map(formatCell))]);
}

/** One line for each member of a single object. */
export function formatFields(fields: Fields): string {
  return alignColumns(fields.map(([name, value]) => [escapeText(name), formatCell(value)]));
}

/** A value as a person reads it, on one line and safe in a terminal. */
export function formatCell(value: unknown): string {
  if (value === null || value === undefined || value === "") return "-";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value) && value.every((item) => typeof item !== "object")) {
    return value.length === 0 ? "-" : escapeText(value.join(", "));
  }
  return escapeText(typeof value === "object" ? JSON.stringify(value) : String(value));
}

function alignColumns(lines: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const line of lines) {
    line.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, widthOf(cell));
    });
  }
  return lines
    .map(
      (line) =>
        `${line
          .map((cell, column) => pad(cell, widths[column]))
          .join("  ")
          .trimEnd()}\n`,
    )
    .join("");
}

function pad(cell: string, width = 0): string {
  return cell + " ".repeat(width - widthOf(cell));
}

/** Unicode Standard Annex #11, as far as terminals agree: these blocks take two columns. */
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const zeroWidth = /[\p{Mn}\p{Me}\p{Cf}]/u;

function widthOf(text: string): number {
  let width = 0;
  for (const character of text) {
    if (!zeroWidth.test(character)) width += wide.test(character) ? 2 : 1;
  }
  return width;
}
