import { escapeText } from "./escape.ts";

export type Fields = readonly (readonly [name: string, value: unknown])[];

export interface Table {
  readonly heads: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}

/** Aligned columns under their heads. `width`: a terminal's; the widest are cut to fit, never the first, the row's name. */
export function formatTable({ heads, rows }: Table, width?: number): string {
  const lines = [heads, ...rows.map((row) => row.map(formatCell))];
  return alignColumns(width === undefined ? lines : fitted(lines, heads, width));
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

/** Columns that a cut cell keeps at least, its mark among them. */
const leastWidth = 8;

/** The same lines, none longer than `width` as far as that goes without cutting heads or the first column. */
function fitted(
  lines: readonly (readonly string[])[],
  heads: readonly string[],
  width: number,
): readonly (readonly string[])[] {
  const widths = columnWidths(lines);
  const least = heads.map((head, column) =>
    column === 0 ? (widths[0] ?? 0) : Math.min(widths[column] ?? 0, Math.max(widthOf(head), leastWidth)),
  );
  let excess = widths.reduce((sum, one) => sum + one + 2, -2) - width;
  while (excess > 0) {
    // The widest column that can be cut loses one character.
    const widest = widths.reduce(
      (found, one, column) => (one > (least[column] ?? 0) && one > (widths[found] ?? 0) ? column : found),
      -1,
    );
    if (widest === -1) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
    excess -= 1;
  }
  return lines.map((line) => line.map((cell, column) => cutTo(cell, widths[column] ?? 0)));
}

function columnWidths(lines: readonly (readonly string[])[]): number[] {
  const widths: number[] = [];
  for (const line of lines) {
    line.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, widthOf(cell));
    });
  }
  return widths;
}

function cutTo(cell: string, width: number): string {
  if (widthOf(cell) <= width) return cell;
  let kept = "";
  for (const character of cell) {
    if (widthOf(kept + character) >= width) break;
    kept += character;
  }
  return `${kept}…`;
}

function alignColumns(lines: readonly (readonly string[])[]): string {
  const widths = columnWidths(lines);
  return lines
    .map(
      (line) =>
        `${line
          .map((cell, column) => cell + " ".repeat((widths[column] ?? 0) - widthOf(cell)))
          .join("  ")
          .trimEnd()}\n`,
    )
    .join("");
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
