import type { Range } from "../../../contract/clock/source-intervals.ts";
import type { AuditEvent } from "../../../contract/types.ts";
import { longDuration } from "../../catalogue/formats.ts";
import { t } from "../../catalogue/words.ts";
import { eventSentence } from "../../home/event-words.ts";
import { Link } from "../../navigation/link.tsx";
import { block, upright, whole } from "../../plot/path.ts";
import { Plot } from "../../plot/plot.tsx";
import { Shape } from "../../ui/shape.tsx";
import { type Fault, type FaultSpan, ticksOf, timeOfEvent } from "./happenings.ts";
import { momentInWords } from "./time-marks.ts";

interface LanesProps {
  readonly faults: readonly Fault[];
  readonly events: readonly AuditEvent[];
  readonly time: Range;
}

/** When what needed attention began and ended, as bars, and other events as ticks, a row each kind. */
export function Lanes({ faults, events, time }: LanesProps) {
  const ends = { time, axis: whole };
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
        {faults.map(({ title, level, spans }) => {
          const state = level === "failing" ? "wrong" : "attention";
          const bars = spans.flatMap(({ begin, end }) => block(begin ?? time.low, end ?? time.high));
          return (
            <li key={title} class={state}>
              <p>
                <Shape name={state} />
                <strong>
                  <bdi>{title}</bdi>
                </strong>{" "}
                {timesInWords(spans.length, spanInWords(spans.at(-1)))}
              </p>
              <Plot name="history-lane" ends={ends} bands={bars} />
            </li>
          );
        })}
        {ticksOf(events, time).map(([row, ticks]) => {
          const count = ticks.reduce((sum, event) => sum + event.count, 0);
          const last = ticks
            .slice(-1)
            .map((event) => `${eventSentence(event)}, ${momentInWords(timeOfEvent(event))}`);
          return (
            <li key={row}>
              <p>
                <strong>{t.history.ticks[row]}</strong> <bdi>{timesInWords(count, last.join(""))}</bdi>
              </p>
              <Plot
                name="history-lane"
                ends={ends}
                line={ticks.flatMap((event) => upright(timeOfEvent(event)))}
              />
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function timesInWords(count: number, last: string): string {
  return count > 1 ? t.history.times(count, last) : last;
}

function spanInWords({ begin, end }: FaultSpan = { begin: null, end: null }): string {
  if (end === null) return begin === null ? t.history.sinceBefore : t.history.since(momentInWords(begin));
  if (begin === null) return t.history.until(momentInWords(end));
  return t.history.fromTo(momentInWords(begin), momentInWords(end), longDuration((end - begin) / 1_000));
}
