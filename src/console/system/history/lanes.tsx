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
  const rows = [
    ...faults.map(({ title, level, spans }) => ({
      title,
      state: level === "failing" ? ("wrong" as const) : ("attention" as const),
      words: timesInWords(spans.length, spanInWords(spans.at(-1))),
      bands: spans.flatMap(({ begin, end }) => block(begin ?? time.low, end ?? time.high)),
    })),
    ...ticksOf(events, time).map(([row, ticks]) => {
      const last = ticks.slice(-1).map((one) => `${eventSentence(one)}, ${momentInWords(timeOfEvent(one))}`);
      const count = ticks.reduce((sum, event) => sum + event.count, 0);
      const line = ticks.flatMap((event) => upright(timeOfEvent(event)));
      return {
        title: t.history.ticks[row],
        state: undefined,
        words: timesInWords(count, last.join("")),
        line,
      };
    }),
  ];
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
        {rows.map(({ title, state, words, ...drawn }) => (
          <li key={title} class={state}>
            <p>
              {state && <Shape name={state} />}
              <strong>
                <bdi>{title}</bdi>
              </strong>{" "}
              <bdi>{words}</bdi>
            </p>
            <Plot name="history-lane" ends={{ time, axis: whole }} {...drawn} />
          </li>
        ))}
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
