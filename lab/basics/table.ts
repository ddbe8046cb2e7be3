/** Rows as lines of text: each column as wide as its widest cell, those with a number to the right. */
export function linesOf(rows: readonly (readonly (string | number)[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows)
    for (const [column, cell] of row.entries())
      widths[column] = Math.max(widths[column] ?? 0, String(cell).length);
  const isNumeric = (column: number) => rows.some((row) => typeof row[column] === "number");
  return rows.map((row) =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return isNumeric(column) ? String(cell).padStart(width) : String(cell).padEnd(width);
      })
      .join("  ")
      .trimEnd(),
  );
}

/** The same as a table of Markdown. */
export function markdownOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |\n`;
  return [line(head), `|${"---|".repeat(head.length)}\n`, ...rows.map(line)].join("");
}
