/** Characters of a line: with its title it fits a terminal of 80 columns. */
const width = 56;

const blocks = [..."▁▂▃▄▅▆▇█"];

/** Figures as a line of blocks from the least of them to the greatest; a blank: none is known. */
export function sparkline(figures: readonly (number | null)[]): string {
  const means = Array.from({ length: Math.min(width, figures.length) }, (_, column) =>
    meanOf(figures.slice(borderOf(column, figures.length), borderOf(column + 1, figures.length))),
  );
  const known = means.filter((mean) => mean !== null);
  const [least, most] = [Math.min(...known), Math.max(...known)];
  const blockOf = (mean: number) =>
    most > least ? blocks[Math.round(((mean - least) / (most - least)) * (blocks.length - 1))] : blocks[0];
  return means
    .map((mean) => (mean === null ? " " : blockOf(mean)))
    .join("")
    .trimEnd();
}

function borderOf(column: number, count: number): number {
  return Math.round((column * count) / Math.min(width, count));
}

function meanOf(figures: readonly (number | null)[]): number | null {
  const known = figures.filter((figure) => figure !== null);
  return known.length === 0 ? null : known.reduce((sum, figure) => sum + figure) / known.length;
}
