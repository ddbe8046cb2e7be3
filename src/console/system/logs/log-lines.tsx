import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { LogEntry } from "../../../contract/types.ts";
import { t } from "../../catalogue/words.ts";
import { holdHeight, RowHeights } from "../../lists/row-heights.ts";
import { piecesOf, rowsBetween, type Stretch, toggled } from "../../lists/rows-in-view.ts";
import { Button } from "../../ui/button.tsx";
import { LogLine } from "./log-line.tsx";
import type { LogView } from "./log-view.ts";
import type { FollowedLog } from "./use-log.ts";

/** Pixels from the end that still count as the end. */
const endPixels = 24;

/** Lines shown at once when one scrolls to the end while more wait. */
const advanceLines = 200;

const none: readonly LogEntry[] = [];

/** The lines, newest at the end; only those in sight are drawn. Scrolling away or opening one pauses it. */
export function LogLines({ log }: { readonly log: FollowedLog }) {
  const { view } = log;
  const lines = view?.lines ?? none;
  const inView = useLinesInView(lines, view !== null && view.pausedBy === null);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  if (view === null) return null;
  const toggle = (cursor: string, isOpen: boolean): void => {
    if (isOpen === opened.has(cursor)) return;
    if (isOpen) log.pause("button");
    setOpened(toggled(opened, cursor));
  };
  return (
    <div
      ref={inView.box}
      class="log"
      role="log"
      aria-live="off"
      aria-label={t.system.tabs.logs}
      aria-description={t.logs.keys}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be within reach of the keyboard
      tabIndex={0}
      onScroll={({ currentTarget }) => {
        inView.scrolled();
        scrolled(log, view, currentTarget);
      }}
      onScrollEnd={({ currentTarget }) => {
        // A step of the wheel may end within the last line.
        if (view.pausedBy === null) currentTarget.scrollTop = currentTarget.scrollHeight;
      }}
      onKeyDown={(event) => moveByKey(event, lines, inView)}
      onFocusIn={({ target }) => inView.keep(keyAt(target))}
      onFocusOut={() => inView.keep(null)}
    >
      {lines.some(({ request }) => request) && <Heads />}
      {view.olderCursor !== null && (
        <Button isBusy={log.loadingOlder.isBusy} onClick={() => void log.loadingOlder.run()}>
          {t.logs.older}
        </Button>
      )}
      <div ref={inView.list}>
        {inView.pieces.map((piece) => {
          if ("height" in piece)
            return <div key={`gap ${piece.gapBefore}`} style={{ height: `${piece.height}px` }} />;
          const entry = lines[piece.index] as LogEntry;
          const { cursor } = entry;
          return (
            <LogLine
              key={cursor}
              entry={entry}
              isOpen={opened.has(cursor)}
              onToggle={(isOpen) => toggle(cursor, isOpen)}
            />
          );
        })}
      </div>
    </div>
  );
}

/** Heads only for the eye, because a line that is read aloud names its parts. */
function Heads() {
  return (
    <div class="log-heads" aria-hidden="true">
      {[t.logs.time, t.logs.level, t.logs.unit, t.logs.text, t.logs.status, t.logs.duration, t.logs.user].map(
        (head) => (
          <span key={head}>{head}</span>
        ),
      )}
    </div>
  );
}

function scrolled(log: FollowedLog, view: LogView, place: HTMLElement): void {
  const isAtEnd = place.scrollHeight - place.scrollTop - place.clientHeight < endPixels;
  if (!isAtEnd && view.pausedBy === null) log.pause("scroll");
  if (isAtEnd && view.pausedBy === "scroll") log.advance(advanceLines);
  const { isBusy, error, run } = log.loadingOlder;
  const isNearBegin = !isAtEnd && place.scrollTop < place.clientHeight;
  if (isNearBegin && view.olderCursor !== null && !isBusy && error === null) void run();
}

/** Moves from line to line by the arrow keys, since a thousand stops of the Tab key are a trap. */
function moveByKey(event: KeyboardEvent, lines: readonly LogEntry[], inView: LinesInView): void {
  const key = keyAt(document.activeElement);
  const at = lines.findIndex(({ cursor }) => cursor === key);
  const steps: Readonly<Record<string, number>> = {
    ArrowUp: at < 0 ? -1 : Math.max(0, at - 1),
    ArrowDown: at + 1,
    Home: 0,
    End: -1,
  };
  const to = steps[event.key];
  if (to === undefined) return;
  event.preventDefault();
  inView.focus(Math.min(to, lines.length - 1));
}

/** The key of the line that contains the element; null: none does. */
function keyAt(target: EventTarget | null): string | null {
  return (target as Element | null)?.closest("[data-key]")?.getAttribute("data-key") ?? null;
}

/** Lines are drawn this far beyond the box, in boxes. */
const beyond = 0.75;

/** Pixels of a line before any has been measured. */
const usualHeight = 28;

/** A line, and how far below the top of the box it begins. */
interface Anchor {
  readonly key: string;
  readonly offset: number;
}

/** With the cursor of its first line; null: there is none yet. */
interface DrawnStretch extends Stretch {
  readonly first: string | null;
}

type LinesInView = ReturnType<typeof useLinesInView>;

/**
 * The lines that are in sight in a box of their own. While it follows, the end of the list stays in sight; otherwise the
 * lines stay where they are on the screen, whatever comes before or behind them. `box` refers to what scrolls, `list` to
 * the element in it that holds the lines, each with its cursor in `data-key`.
 */
function useLinesInView(lines: readonly LogEntry[], isFollowing: boolean) {
  const box = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [measured] = useState(() => new RowHeights(usualHeight));
  const [drawn, setDrawn] = useState<DrawnStretch>({ from: 0, to: 40, first: null });
  const keys = lines.map(({ cursor }) => cursor);
  const stretch = moved(drawn, keys);
  const heights = measured.of(keys);
  const { kept, keep, focus } = useKeptLine(list, keys);
  const release = holdHeight(list.current);
  // It also lays the list out, held as it is.
  const anchor = firstInSight(box.current, list.current);
  const look = (): void => {
    const [place, inside] = [box.current, list.current];
    if (place === null || inside === null) return;
    const top = place.getBoundingClientRect().top - inside.getBoundingClientRect().top;
    const margin = place.clientHeight * beyond;
    const next = rowsBetween(heights, { top: top - margin, bottom: top + place.clientHeight + margin });
    if (next.from !== stretch.from || next.to !== stretch.to)
      setDrawn({ ...next, first: keys[next.from] ?? null });
  };
  useLayoutEffect(() => {
    measured.measure(list.current);
    release();
  });
  useLayoutEffect(() => {
    const [place, inside] = [box.current, list.current];
    if (place === null || inside === null) return;
    if (isFollowing) place.scrollTop = place.scrollHeight;
    else if (anchor !== null) restore(anchor, place, inside);
    // Not when a line is opened: that one has come into sight by now.
  }, [lines, drawn]);
  useLayoutEffect(look);
  useEffect(() => (isFollowing ? keepAtEnd(box.current) : undefined), [isFollowing]);
  useEffect(() => watchWidth(measured, () => setDrawn((before) => ({ ...before }))), []);
  return { box, list, pieces: piecesOf(heights, stretch, kept), scrolled: look, focus, keep };
}

/** The line with the keyboard, which stays drawn: `keep` notes which one has it; null: none has. */
function useKeptLine(list: RefObject<HTMLElement | null>, keys: readonly string[]) {
  const [kept, keep] = useState<string | null>(null);
  // It gets the keyboard as soon as it is drawn.
  const wanted = useRef<string | null>(null);
  useLayoutEffect(() => {
    if (wanted.current !== null) giveKeyboard(lineOf(list.current, wanted.current));
    wanted.current = null;
  });
  /** Gives the keyboard to a line, wherever it is; -1: to the last. */
  const focus = (index: number): void => {
    const key = keys.at(index);
    if (key === undefined) return;
    const line = lineOf(list.current, key);
    giveKeyboard(line);
    if (line !== null) return;
    wanted.current = key;
    keep(key);
  };
  return { kept: kept === null ? -1 : keys.indexOf(kept), keep, focus };
}

function giveKeyboard(line: HTMLElement | null): void {
  line?.querySelector("summary")?.focus();
}

function lineOf(inside: HTMLElement | null, key: string): HTMLElement | null {
  return inside?.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`) ?? null;
}

/** The first line of which anything is seen; null: where one has scrolled to, none is drawn yet. */
function firstInSight(place: HTMLElement | null, inside: HTMLElement | null): Anchor | null {
  const { top: from, bottom: to } = place?.getBoundingClientRect() ?? { top: 0, bottom: 0 };
  const lines = [...(inside?.querySelectorAll<HTMLElement>("[data-key]") ?? [])];
  const line = lines.find((one) => one.getBoundingClientRect().bottom > from);
  const top = line?.getBoundingClientRect().top ?? to;
  return line && top < to ? { key: line.dataset.key ?? "", offset: top - from } : null;
}

function restore({ key, offset }: Anchor, place: HTMLElement, inside: HTMLElement): void {
  const line = lineOf(inside, key);
  if (line) place.scrollTop += line.getBoundingClientRect().top - place.getBoundingClientRect().top - offset;
}

/** The same lines, where others have come or gone before them. */
function moved(stretch: DrawnStretch, keys: readonly string[]): DrawnStretch {
  const by = stretch.first === null ? -1 : keys.indexOf(stretch.first) - stretch.from;
  return by + stretch.from < 0 ? stretch : { ...stretch, from: stretch.from + by, to: stretch.to + by };
}

/** Stays at the end when the box becomes smaller, as by the counts above it. */
function keepAtEnd(place: HTMLElement | null): (() => void) | undefined {
  if (place === null) return undefined;
  const observer = new ResizeObserver(() => {
    place.scrollTop = place.scrollHeight;
  });
  observer.observe(place);
  return () => observer.disconnect();
}

function watchWidth(measured: RowHeights, onChange: () => void): () => void {
  let width = innerWidth;
  const resized = (): void => {
    if (innerWidth === width) return;
    width = innerWidth;
    measured.forget();
    onChange();
  };
  addEventListener("resize", resized);
  return () => removeEventListener("resize", resized);
}
