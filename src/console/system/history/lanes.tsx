import { placeOf } from "../../../contract/clock/source-intervals.ts";
import type { AuditEvent } from "../../../contract/types.ts";
import { longDuration } from "../../catalogue/formats.ts";
import { t } from "../../catalogue/words.ts";
import { eventSentence } from "../../home/event-words.ts";
import { Link } from "../../navigation/link.tsx";
import { percent } from "../../plot/axis.ts";
import { Shape } from "../../ui/shape.tsx";
import { type Fault, type FaultSpan, type TickRow, timeOfEvent } from "./happenings.ts";
import { type Marked, Marks, Upright } from "./time-axis.tsx";
import { momentInWords } from "./time-marks.ts";

/** When what needed attention began and ended, as bars, and other events as ticks, a row each kind. */
export function Lanes({
  faults,
  ticks,
  ...marked
}: Marked & {
  readonly faults: readonly Fault[];
  readonly ticks: readonly (readonly [TickRow, readonly AuditEvent[]])[];
}) {
  return (
    <div class="history-lanes">
      <header>
        <h3>{t.history.happened}</h3>
        <Link to="/system/events" query={{ since: "7d" }}>
          {t.history.events}
        </Link>
      </header>
      {faults.length === 0 && <p class="hint">{t.history.noFaults}</p>}
      <ul>
        {faults.map((fault) => (
          <FaultLane key={fault.title} fault={fault} {...marked} />
        ))}
        {ticks.map(([row, events]) => (
          <TickLane key={row} row={row} events={events} {...marked} />
        ))}
      </ul>
    </div>
  );
}

function FaultLane({ fault: { title, level, spans }, ...marked }: Marked & { readonly fault: Fault }) {
  const { time } = marked;
  const state = level === "failing" ? "wrong" : "attention";
  const shareOf = (at: number) => Math.min(1, Math.max(0, placeOf(time, at)));
  return (
    <li class={state}>
      <p>
        <Shape name={state} />
        <strong>
          <bdi>{title}</bdi>
        </strong>{" "}
        {spansInWords(spans)}
      </p>
      <svg aria-hidden="true" class="history-lane" width="100%">
        <Marks {...marked} />
        {spans.map(({ begin, end }) => {
          const [from, to] = [shareOf(begin ?? time.low), shareOf(end ?? time.high)];
          return <rect key={begin} x={percent(from)} y="3" width={percent(to - from)} height="10" rx="2" />;
        })}
      </svg>
    </li>
  );
}

function TickLane({
  row,
  events,
  ...marked
}: Marked & { readonly row: TickRow; readonly events: readonly AuditEvent[] }) {
  const count = events.reduce((sum, event) => sum + event.count, 0);
  const newest = events.at(-1);
  const last = newest && `${eventSentence(newest)}, ${momentInWords(timeOfEvent(newest))}`;
  return (
    <li>
      <p>
        <strong>{t.history.ticks[row]}</strong>{" "}
        <bdi>{count > 1 ? t.history.times(count, last ?? "") : last}</bdi>
      </p>
      <svg aria-hidden="true" class="history-lane" width="100%">
        <Marks {...marked} />
        {events.map((event) => (
          <Upright key={event.seq} at={placeOf(marked.time, timeOfEvent(event))} name="history-tick" />
        ))}
      </svg>
    </li>
  );
}

function spansInWords(spans: readonly FaultSpan[]): string {
  const last = spans.at(-1);
  if (last === undefined) return "";
  return spans.length === 1 ? spanInWords(last) : t.history.times(spans.length, spanInWords(last));
}

function spanInWords({ begin, end }: FaultSpan): string {
  if (end === null) return begin === null ? t.history.sinceBefore : t.history.since(momentInWords(begin));
  if (begin === null) return t.history.until(momentInWords(end));
  return t.history.fromTo(momentInWords(begin), momentInWords(end), longDuration((end - begin) / 1_000));
}
