import type { LogEntry, LogList } from "../../../contract/types.ts";

/** Lines that can be scrolled through: of more, a browser keeps too much in memory. */
export const mostShown = 10_000;

/** Lines that wait behind those that are shown; then the oldest of them are dropped. */
export const mostWaiting = 5_000;

/** The part of the log that is shown, and the lines that wait behind it. Nothing of it is changed in place. */
export interface LogView {
  /** Lines that are shown, the oldest first. */
  readonly lines: readonly LogEntry[];
  /** Lines that wait behind these while it is paused. */
  readonly waiting: readonly LogEntry[];
  /** Lines that have come since it was opened. */
  readonly count: number;
  /** The number of these that came since it was paused. */
  readonly unseen: number;
  /** Lines that were dropped from those that wait; reading older ones brings them back. */
  readonly dropped: number;
  /** The cursor of the next older lines; null: there are none. */
  readonly olderCursor: string | null;
  /** The reason that it does not follow; null: it does. Scrolling to the end follows again, except after the button. */
  readonly pausedBy: "button" | "scroll" | null;
}

/** Begins with the newest page, which comes newest first. */
export function opened({ items, next_cursor }: LogList): LogView {
  const lines = items.toReversed();
  return { lines, waiting: [], count: 0, unseen: 0, dropped: 0, olderCursor: next_cursor, pausedBy: null };
}

/** Adds new lines: they are shown, or wait while it is paused. */
export function arrived(view: LogView, entries: readonly LogEntry[]): LogView {
  const known = new Set([...view.lines, ...view.waiting].map(({ cursor }) => cursor));
  const fresh = entries.filter(({ cursor }) => !known.has(cursor));
  const next = { ...view, count: view.count + fresh.length };
  if (view.pausedBy === null) return shown(next, fresh);
  return { ...kept(next, [...view.waiting, ...fresh]), unseen: view.unseen + fresh.length };
}

/** Adds a page of older lines; lines that no longer fit behind them wait. */
export function withOlder(view: LogView, { items, next_cursor }: LogList): LogView {
  const lines = [...items.toReversed(), ...view.lines];
  const next = { ...view, lines: lines.slice(0, mostShown), olderCursor: next_cursor };
  const behind = view.dropped > 0 ? [] : lines.slice(mostShown);
  return kept({ ...next, pausedBy: view.pausedBy ?? "scroll" }, [...behind, ...view.waiting]);
}

/** Shows the first waiting lines; once none is left, it follows. Lines before a gap are left out, to be read again. */
export function advanced(view: LogView, count: number): LogView {
  const hasHole = view.dropped > 0;
  const before = hasHole ? { ...view, lines: [], olderCursor: view.waiting[0]?.cursor ?? null } : view;
  const next = { ...shown(before, view.waiting.slice(0, count)), dropped: 0 };
  const waiting = view.waiting.slice(count);
  if (waiting.length > 0) return { ...next, waiting, unseen: Math.min(view.unseen, waiting.length) };
  return { ...next, waiting, unseen: 0, pausedBy: null };
}

function shown(view: LogView, more: readonly LogEntry[]): LogView {
  const all = [...view.lines, ...more];
  const lines = all.slice(-mostShown);
  const olderCursor = all.length > mostShown ? (lines[0]?.cursor ?? null) : view.olderCursor;
  return { ...view, lines, olderCursor };
}

function kept(view: LogView, waiting: readonly LogEntry[]): LogView {
  const over = Math.max(0, waiting.length - mostWaiting);
  return { ...view, waiting: waiting.slice(over), dropped: view.dropped + over };
}
