import type { VNode } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { LogEntry } from "../../../contract/types.ts";
import { language, t } from "../../catalogue/words.ts";
import { Badge, type State } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { toast } from "../../ui/dialog/toasts.tsx";
import { Facts } from "../../ui/page.tsx";
import { visible, visibleLines } from "../../ui/visible.ts";
import type { FollowedLog } from "./use-log.ts";

/** Pixels from the end that still count as the end. */
const endPixels = 24;

/** Lines drawn at once when one scrolls to the end while more wait. */
const advanceLines = 200;

/** The lines, the newest at the end as in a terminal. Scrolling away from the end, or opening a line, pauses it. */
export function LogLines({ log }: { readonly log: FollowedLog }) {
  const root = useRef<HTMLDivElement>(null);
  // The same node for the same line, so that what has not changed is not compared again.
  const nodes = useRef(new WeakMap<LogEntry, VNode>());
  const { view } = log;
  // Of the lines in sight: they stay where they are on the screen, whatever is drawn before or behind them.
  const anchor = view !== null && view.pausedBy !== null ? firstInSight(root.current) : null;
  useLayoutEffect(() => {
    const place = root.current;
    if (place === null) return;
    if (view?.pausedBy === null) place.scrollTop = place.scrollHeight;
    else if (anchor?.line.isConnected)
      place.scrollTop += anchor.line.getBoundingClientRect().top - anchor.top;
    // Not when it is only paused: a line that has been opened is in sight by now.
  }, [view?.lines]);
  if (view === null) return null;
  const onScroll = (): void => {
    const place = root.current;
    if (place === null) return;
    const isAtEnd = place.scrollHeight - place.scrollTop - place.clientHeight < endPixels;
    if (!isAtEnd && view.pausedBy === null) log.pause("scroll");
    if (isAtEnd && view.pausedBy === "scroll") log.advance(advanceLines);
  };
  return (
    <div
      ref={root}
      class="log"
      role="log"
      aria-live="off"
      aria-label={t.logs.title}
      aria-description={t.logs.keys}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be within reach of the keyboard
      tabIndex={0}
      onScroll={onScroll}
      onKeyDown={(event) => moveByKey(event, root.current)}
    >
      {view.olderCursor !== null && (
        <Button isBusy={log.loadingOlder.isBusy} onClick={() => void log.loadingOlder.run()}>
          {t.logs.older}
        </Button>
      )}
      {view.lines.map((entry) => {
        const node = nodes.current.get(entry) ?? (
          <LogLine key={entry.cursor} entry={entry} onOpen={() => log.pause("button")} />
        );
        nodes.current.set(entry, node);
        return node;
      })}
    </div>
  );
}

/** The first line of which anything is seen, and where. */
function firstInSight(root: HTMLElement | null): { readonly line: Element; readonly top: number } | null {
  const from = root?.getBoundingClientRect().top ?? 0;
  const lines = [...(root?.querySelectorAll("details") ?? [])];
  const line = lines.find((one) => one.getBoundingClientRect().bottom > from);
  return line ? { line, top: line.getBoundingClientRect().top } : null;
}

/** From line to line by the arrow keys, for a thousand stops of the Tab key are a trap. */
function moveByKey(event: KeyboardEvent, root: HTMLElement | null): void {
  const all = [...(root?.querySelectorAll("summary") ?? [])];
  const at = all.indexOf(document.activeElement as HTMLElement);
  const steps: Readonly<Record<string, number>> = {
    ArrowUp: at < 0 ? -1 : Math.max(0, at - 1),
    ArrowDown: at + 1,
    Home: 0,
    End: -1,
  };
  const to = steps[event.key];
  if (to === undefined) return;
  event.preventDefault();
  all.at(Math.min(to, all.length - 1))?.focus();
}

const states: Readonly<Partial<Record<string, State>>> = {
  emerg: "wrong",
  alert: "wrong",
  crit: "wrong",
  err: "wrong",
  warning: "attention",
};

function LogLine({ entry, onOpen }: { readonly entry: LogEntry; readonly onOpen: () => void }) {
  const { time, unit, priority, message } = entry;
  const [isOpen, setIsOpen] = useState(false);
  const root = useRef<HTMLDetailsElement>(null);
  useLayoutEffect(() => {
    if (isOpen) root.current?.scrollIntoView({ block: "nearest" });
  }, [isOpen]);
  const state = states[priority];
  const level = t.logs.levels[priority];
  return (
    <details
      ref={root}
      onToggle={({ currentTarget }) => {
        if (currentTarget.open) onOpen();
        setIsOpen(currentTarget.open);
      }}
    >
      <summary tabIndex={-1}>
        <time dateTime={time}>{timeOf(time)}</time> {state ? <Badge state={state}>{level}</Badge> : level}{" "}
        <span class="log-unit">{visible(unit)}</span> <span class="log-text">{visible(message)}</span>
      </summary>
      {isOpen && <LogLineFacts entry={entry} />}
    </details>
  );
}

function LogLineFacts({ entry }: { readonly entry: LogEntry }) {
  const { time, unit, identifier, pid, priority, message, members, cursor } = entry;
  return (
    <div class="log-facts">
      {message.includes("\n") && <pre>{visibleLines(message)}</pre>}
      <Facts
        items={[
          [t.logs.time, time],
          [t.logs.identifier, visible(identifier ?? "–")],
          [t.logs.process, pid ?? "–"],
          [t.logs.cursor, <code key="cursor">{cursor}</code>],
        ]}
      />
      {members !== null && <pre>{visibleLines(JSON.stringify(members, null, 2))}</pre>}
      <Button
        onClick={() => {
          const text = `${time} ${unit}${pid === null ? "" : `[${pid}]`} ${priority}: ${message}`;
          void navigator.clipboard.writeText(visible(text)).then(() => toast(t.ui.copied));
        }}
      >
        {t.logs.copyLine}
      </Button>
    </div>
  );
}

let format: { readonly language: string; readonly of: Intl.DateTimeFormat } | null = null;

/** Day and time to the millisecond, in the browser's time zone. */
function timeOf(time: string): string {
  if (format?.language !== language)
    format = {
      language,
      of: new Intl.DateTimeFormat(language, {
        month: "short",
        day: "2-digit",
        hour: "2-digit",
        minute: "2-digit",
        second: "2-digit",
        fractionalSecondDigits: 3,
        hourCycle: "h23",
      }),
    };
  return format.of.format(new Date(time));
}
