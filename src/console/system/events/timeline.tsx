import type { ComponentType } from "preact";
import { useState } from "preact/hooks";
import type { AuditEvent } from "../../../contract/types.ts";
import { absoluteTime, shortDuration, zoneOfTwice } from "../../catalogue/formats.ts";
import { locale, t } from "../../catalogue/words.ts";
import { usePart } from "../../client/parts.ts";
import { toggled } from "../../lists/rows-in-view.ts";
import { useRowsInView } from "../../lists/use-rows-in-view.ts";
import { Badge } from "../../ui/badge.tsx";
import { problemName } from "../../ui/by-code.ts";
import { Skeleton } from "../../ui/page.tsx";
import { Shape } from "../../ui/shape.tsx";
import { exactTime } from "../../ui/time.tsx";
import type { Entry, Run } from "./runs.ts";

/** Events by days, the newest first, each in a sentence that opens the rest; only those in the window are drawn. */
export function Timeline({
  entries,
  onEndNear,
}: {
  readonly entries: readonly Entry[];
  readonly onEndNear: () => void;
}) {
  const keys = entries.map(({ key }) => key);
  const { root, pieces, onFocusIn, onFocusOut } = useRowsInView<HTMLOListElement>(keys, onEndNear);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  return (
    <div class="long-place">
      <ol class="timeline" ref={root} onFocusIn={onFocusIn} onFocusOut={onFocusOut}>
        {pieces.map((piece) => {
          if ("height" in piece)
            return (
              <li
                key={`gap ${piece.gapBefore}`}
                class="gap"
                aria-hidden="true"
                style={{ height: `${piece.height}px` }}
              />
            );
          const entry = entries[piece.index] as Entry;
          const { key } = entry;
          // Their number is not known before all are read.
          const place = { "data-key": key, "aria-posinset": piece.index + 1, "aria-setsize": -1 };
          return (
            <li key={key} {...place} class={classOf(entry)}>
              <EntryBody
                entry={entry}
                isOpen={opened.has(key)}
                onToggle={() => setOpened(toggled(opened, key))}
              />
            </li>
          );
        })}
      </ol>
      <p class="on-paper">{t.lists.onPaper}</p>
    </div>
  );
}

function classOf(entry: Entry): string {
  return "day" in entry ? "timeline-day" : "backSeconds" in entry ? "timeline-back" : "timeline-run";
}

type EventBody = ComponentType<{ readonly event: AuditEvent }>;

interface EntryProps<Of> {
  readonly entry: Of;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

function EntryBody({ entry, ...opening }: EntryProps<Entry>) {
  if ("day" in entry) return <h3>{entry.day.toLocaleDateString(locale, { dateStyle: "full" })}</h3>;
  if ("backSeconds" in entry)
    return <Badge state="attention">{t.events.setBack(shortDuration(entry.backSeconds))}</Badge>;
  return <RunBody entry={entry} {...opening} />;
}

function RunBody({ entry: { text, events, count }, isOpen, onToggle }: EntryProps<Run>) {
  const [newest] = events;
  const oldest = events.at(-1) ?? newest;
  const { code, outcome } = newest;
  return (
    <>
      <button type="button" class="run line" aria-expanded={isOpen} onClick={onToggle}>
        <time dateTime={newest.time} title={exactTime(new Date(newest.time))}>
          {hours().format(Date.parse(newest.time))}
          {zoneOfTwice(new Date(newest.time))}
        </time>
        <span class="run-text">
          <span dir="auto">{text}</span>{" "}
          {count > 1 && (
            <span class="run-times">
              {count} ×{spanOf(oldest, newest)}
            </span>
          )}
        </span>
        {outcome === "refused" && <Badge state="attention">{problemName(code ?? "") ?? code}</Badge>}
        <Shape name="open" />
      </button>
      {isOpen && <Opened events={events} />}
    </>
  );
}

/** All that is kept of an event; of repeats each by its time. */
function Opened({ events }: { readonly events: readonly [AuditEvent, ...AuditEvent[]] }) {
  const part = usePart("event");
  if (part === null) return <Skeleton />;
  if (events.length === 1) return <part.Body event={events[0]} />;
  return (
    <ol class="repeats">
      {events.map((event) => (
        <li key={event.seq}>
          <Repeat event={event} Body={part.Body} />
        </li>
      ))}
    </ol>
  );
}

/** Its facts are drawn when it is opened: there may be hundreds of repeats. */
function Repeat({ event, Body }: { readonly event: AuditEvent; readonly Body: EventBody }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{absoluteTime(new Date(event.time))}</summary>
      {isOpen && <Body event={event} />}
    </details>
  );
}

/** `, 14:32–15:10`; empty within a minute. */
function spanOf(oldest: AuditEvent, newest: AuditEvent): string {
  const [from, to] = [Date.parse(oldest.time), Date.parse(newest.time)];
  return hours().format(from) === hours().format(to) ? "" : `, ${hours().formatRange(from, to)}`;
}

/** `14:32`: the day is in the heading above. */
function hours(): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(locale, { timeStyle: "short" });
}
