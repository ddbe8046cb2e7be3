import { useState } from "preact/hooks";
import type { LogEntry } from "../../../contract/types.ts";
import { t } from "../../catalogue/words.ts";
import { toggled } from "../../lists/long-table.tsx";
import { Button } from "../../ui/button.tsx";
import { LogLine } from "./log-line.tsx";
import type { LogView } from "./log-view.ts";
import { type LinesInView, useLinesInView } from "./use-lines-in-view.ts";
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
      aria-label={t.logs.title}
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
