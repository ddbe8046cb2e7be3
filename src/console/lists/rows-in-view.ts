/** Rows of a list, from the first to before the last. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** A row that is drawn, or the height of rows that are not. */
export type Piece = { readonly index: number } | { readonly gapBefore: number; readonly height: number };

/** The rows between two heights, counted in pixels from the top of the list. */
export function rowsBetween(
  heights: readonly number[],
  { top, bottom }: { readonly top: number; readonly bottom: number },
): Stretch {
  let edge = 0;
  let from = 0;
  while (from < heights.length && edge + (heights[from] ?? 0) <= top) {
    edge += heights[from] ?? 0;
    from += 1;
  }
  let to = from;
  while (to < heights.length && edge < bottom) {
    edge += heights[to] ?? 0;
    to += 1;
  }
  return { from, to };
}

/** The pieces to draw, in their order: these rows, one that has to stay, and gaps as high as all the others. */
export function piecesOf(heights: readonly number[], { from, to }: Stretch, kept: number): Piece[] {
  const inView = Array.from({ length: Math.max(0, to - from) }, (_, place) => from + place);
  const isApart = kept >= 0 && kept < heights.length && (kept < from || kept >= to);
  const drawn = isApart ? [...inView, kept].sort((a, b) => a - b) : inView;
  const pieces: Piece[] = [];
  let next = 0;
  for (const index of [...drawn, heights.length]) {
    const height = heights.slice(next, index).reduce((sum, one) => sum + one, 0);
    if (index > next) pieces.push({ gapBefore: index, height });
    if (index < heights.length) pieces.push({ index });
    next = index + 1;
  }
  return pieces;
}

/** The set of opened rows with this one added, or removed if it was among them. */
export function toggled(opened: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(opened);
  if (!next.delete(key)) next.add(key);
  return next;
}
