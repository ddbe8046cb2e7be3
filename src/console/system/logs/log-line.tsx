import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { LogEntry } from "../../../contract/types.ts";
import { figure, shortDuration, withUnit, zoneOfTwice } from "../../catalogue/formats.ts";
import { locale, t } from "../../catalogue/words.ts";
import { deviceZone } from "../../client/device-time.ts";
import { useStore } from "../../store.ts";
import { Badge, type State } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { toast } from "../../ui/dialog/toasts.tsx";
import { Facts } from "../../ui/page.tsx";
import { exactTime } from "../../ui/time.tsx";
import { visible, visibleLines } from "../../ui/visible.ts";

/** Milliseconds: the agent tells no shorter time. */
const leastDuration = 0.1;

type Request = NonNullable<LogEntry["request"]>;

const states: Readonly<Partial<Record<string, State>>> = {
  emerg: "wrong",
  alert: "wrong",
  crit: "wrong",
  err: "wrong",
  warning: "attention",
};

/** A line in columns, on a phone in two lines; opened, all that is known of it. */
export function LogLine({
  entry,
  isOpen,
  onToggle,
}: {
  readonly entry: LogEntry;
  readonly isOpen: boolean;
  readonly onToggle: (isOpen: boolean) => void;
}) {
  const { time, unit, priority, message, request, cursor } = entry;
  const root = useRef<HTMLDetailsElement>(null);
  useLayoutEffect(() => {
    if (isOpen) bringIntoSight(root.current);
  }, [isOpen]);
  const state = states[priority];
  const level = t.logs.levels[priority];
  return (
    <details
      ref={root}
      class={request ? "log-line of-request" : "log-line"}
      data-key={cursor}
      open={isOpen}
      onToggle={({ currentTarget }) => onToggle(currentTarget.open)}
    >
      <summary tabIndex={-1}>
        <LineTime time={time} />{" "}
        <span class="log-level">{state ? <Badge state={state}>{level}</Badge> : level}</span>{" "}
        <span class="log-unit">{visible(unit)}</span> <span class="log-text">{visible(message)}</span>
        {request && (
          <>
            {" "}
            <span class="log-status">{statusOf(request)}</span>{" "}
            <span class="log-duration">{durationOf(request)}</span>{" "}
            <bdi class="log-user">{userOf(request)}</bdi>
          </>
        )}
      </summary>
      {isOpen && <LogLineFacts entry={entry} />}
    </details>
  );
}

/** Scrolls to the end of a line, as far as its beginning stays in sight. */
function bringIntoSight(line: HTMLElement | null): void {
  const box = line?.closest<HTMLElement>(".log");
  if (!line || !box) return;
  const place = box.getBoundingClientRect();
  const { top, bottom } = line.getBoundingClientRect();
  const heads = box.querySelector<HTMLElement>(".log-heads")?.offsetHeight ?? 0;
  box.scrollTop += Math.max(0, Math.min(bottom - place.bottom, top - place.top - heads));
}

function statusOf({ status }: Request) {
  if (status < 400) return status;
  return <Badge state={status < 500 ? "attention" : "wrong"}>{status}</Badge>;
}

/** The duration of a request; of several requests their number. */
function durationOf({ duration_ms, count }: Request): string {
  if (count > 1) return `× ${count}`;
  if (duration_ms === null) return "";
  if (duration_ms < leastDuration) return `< ${withUnit(figure(leastDuration, 1), "ms")}`;
  return duration_ms < 1 ? withUnit(figure(duration_ms, 1), "ms") : shortDuration(duration_ms / 1_000);
}

function userOf({ user }: Request): string {
  if (user === null) return "";
  return user === "local-root" ? t.lists.kinds["local-root"] : visible(user);
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
      {/* Over plain HTTP a page has no clipboard. */}
      {navigator.clipboard && (
        <Button
          onClick={() => {
            const text = `${time} ${unit}${pid === null ? "" : `[${pid}]`} ${priority}: ${message}`;
            void navigator.clipboard.writeText(visible(text)).then(() => toast(t.ui.copied));
          }}
        >
          {t.logs.copyLine}
        </Button>
      )}
    </div>
  );
}

const hours = { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" } as const;

/** Day and time to the millisecond, in the browser's time zone; where there is little room, without what goes without saying. */
function LineTime({ time }: { readonly time: string }) {
  const deviceIn = useStore(deviceZone);
  // Once for each line: dozens are drawn again whenever one comes.
  const [day, text, zone, exact] = useMemo(() => {
    const at = new Date(time);
    const isToday = at.toDateString() === new Date().toDateString();
    const said = at.toLocaleTimeString(locale, { ...hours, fractionalSecondDigits: 3 });
    const date = at.toLocaleDateString(locale, { month: "short", day: "2-digit" });
    return [
      <span class={isToday ? "log-day today" : "log-day"}>{date} </span>,
      said,
      zoneOfTwice(at),
      exactTime(at),
    ];
  }, [time, locale, deviceIn]);
  return (
    <time dateTime={time} title={exact}>
      {day}
      {text.slice(0, -4)}
      <span class="log-fraction">{text.slice(-4)}</span>
      {zone}
    </time>
  );
}
