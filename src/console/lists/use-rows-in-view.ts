import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { takeReturning } from "../navigation/navigation.ts";
import { holdHeight, RowHeights } from "./row-heights.ts";
import { piecesOf, rowsBetween, type Stretch } from "./rows-in-view.ts";

/** Rows are drawn this far beyond the window, in windows, so that the next step of the Tab key finds one. */
const beyond = 0.75;

/** Pixels of a row before any has been measured. */
const usualHeight = 56;

/** Rows from the end at which more are asked for. */
const nearEnd = 20;

/**
 * The rows of a long list that are in the window, which scrolls with the page. A row with the keyboard stays, so that no
 * focus is lost. `onEndNear` is called while the last rows are in sight, with each drawing. `root` refers to the element
 * that holds the rows, each with its key in `data-key`.
 */
export function useRowsInView<Root extends HTMLElement = HTMLTableSectionElement>(
  keys: readonly string[],
  onEndNear: () => void,
) {
  const root = useRef<Root>(null);
  const [measured] = useState(() => new RowHeights(usualHeight));
  const [stretch, setStretch] = useState<Stretch>({ from: 0, to: nearEnd });
  const [kept, setKept] = useState<string | null>(null);
  const heights = measured.of(keys);
  const release = holdHeight(root.current?.closest<HTMLElement>(".table-place"));
  const look = (): void => {
    const top = -(root.current?.getBoundingClientRect().top ?? 0);
    const margin = innerHeight * beyond;
    const next = rowsBetween(heights, { top: top - margin, bottom: top + innerHeight + margin });
    setStretch((before) => (before.from === next.from && before.to === next.to ? before : next));
  };
  const returning = useRef<number | null>(null);
  const latest = useRef(look);
  latest.current = look;
  useLayoutEffect(() => {
    measured.measure(root.current);
    release();
    returning.current = scrolledTo(returning.current ?? takeReturning());
    look();
    if (keys.length > 0 && stretch.to >= keys.length - nearEnd) onEndNear();
  });
  useEffect(() => watchWindow(latest, measured), []);
  return {
    root,
    pieces: piecesOf(heights, stretch, kept === null ? -1 : keys.indexOf(kept)),
    onFocusIn: ({ target }: FocusEvent) =>
      setKept((target as Element).closest("[data-key]")?.getAttribute("data-key") ?? null),
    onFocusOut: ({ relatedTarget }: FocusEvent) => {
      returning.current = null;
      if (!root.current?.contains(relatedTarget as Node | null)) setKept(null);
    },
  };
}

/** Scrolls as far as the page is long by now; null: it is there. */
function scrolledTo(wanted: number | null): number | null {
  if (wanted === null) return null;
  scrollTo(0, wanted);
  return scrollY < wanted - 1 ? wanted : null;
}

function watchWindow(look: { readonly current: () => void }, measured: RowHeights): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  let width = innerWidth;
  addEventListener("scroll", () => look.current(), { passive: true, signal });
  addEventListener(
    "resize",
    () => {
      if (innerWidth !== width) measured.forget();
      width = innerWidth;
      look.current();
    },
    { signal },
  );
  return () => ending.abort();
}
