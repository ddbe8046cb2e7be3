import { useMemo, useState } from "preact/hooks";
import { placeOf } from "../../../contract/clock/source-intervals.ts";
import type { AuditEvent, History } from "../../../contract/types.ts";
import { t } from "../../catalogue/words.ts";
import { useResource } from "../../client/use-resource.ts";
import { toldOf } from "../../home/event-words.ts";
import { percent } from "../../plot/axis.ts";
import { tellHeight } from "../../ui/focus.ts";
import { figuresInWords, worstInWords } from "./figure-words.ts";
import { eventsNear, faultsOf, ticksOf } from "./happenings.ts";
import { HistoryTable } from "./history-table.tsx";
import { Lanes } from "./lanes.tsx";
import { gapsOf, middleOf, type Series, type Steps, seriesOf, stepAt, stepsOf, timeOf } from "./series.ts";
import { SeriesPlot } from "./series-plot.tsx";
import { Axis } from "./time-axis.tsx";
import { momentInWords } from "./time-marks.ts";

/** Steps in which the arrow keys lead through all of it, and the share of it that is near the cursor. */
const strides = 288;

/** The events and the plots over one time, with a cursor through all of them. */
export function Pictures({
  history,
  events,
  missingBefore,
}: {
  readonly history: History;
  readonly events: readonly AuditEvent[] | null;
  /** Events before this time may be missing; null: none is. */
  readonly missingBefore: string | null;
}) {
  const needs = useResource("getStatus").value?.needs ?? [];
  /** Milliseconds since 1970; null: the cursor has not been moved, and is at the newest figures. */
  const [chosen, setChosen] = useState<number | null>(null);
  const key = events === null ? "" : `${events.length} ${events.at(-1)?.seq}`;
  const known = useMemo(() => {
    const [steps, series] = [stepsOf(history), seriesOf(history)];
    return { steps, series, time: timeOf(steps), gaps: gapsOf(series, steps) };
  }, [history]);
  const { steps, series, time, gaps } = known;
  const faults = useMemo(() => faultsOf(events ?? [], needs, time), [key, needs, time]);
  const step = chosen === null ? steps.count - 1 : stepAt(steps, chosen);
  const pictures = useMemo(() => {
    const begins = faults.flatMap(({ spans }) => spans.flatMap(({ begin }) => begin ?? []));
    const marked = { time, gaps, begins };
    return {
      lanes: events && <Lanes {...{ faults, ticks: ticksOf(events, time), ...marked }} />,
      plots: series.map((one) => <SeriesPlot key={one.name} series={one} steps={steps} {...marked} />),
    };
  }, [known, faults, key]);
  return (
    <>
      <Cursor steps={steps} step={step} events={events} series={series} onMove={setChosen} />
      <div
        class="history-field"
        onPointerDown={(event) => setChosen(timeUnder(event, time))}
        onPointerMove={(event) => setChosen(timeUnder(event, time))}
      >
        {pictures.lanes}
        {series.map((one, index) => (
          <figure key={one.name} class="history-plot">
            <figcaption>
              <h3>{t.history.plots[one.name]}</h3>
              <span class="hint">{worstInWords(one, steps)}</span>
              <strong>{figuresInWords(one, step)}</strong>
            </figcaption>
            {pictures.plots[index]}
          </figure>
        ))}
        <Axis time={time} />
        <div class="history-cursor" style={{ left: percent(placeOf(time, middleOf(steps, step))) }} />
      </div>
      <p class="hint">
        {t.history.legend} {gaps.length > 0 && t.history.gaps}{" "}
        {missingBefore !== null && t.history.tooMany(momentInWords(Date.parse(missingBefore)))}
      </p>
      <HistoryTable steps={steps} series={series} events={events} />
    </>
  );
}

function timeUnder(
  { clientX, currentTarget }: PointerEvent & { readonly currentTarget: Element },
  { low, high }: { readonly low: number; readonly high: number },
): number {
  const { left, width } = currentTarget.getBoundingClientRect();
  return low + ((clientX - left) / width) * (high - low);
}

/** The time of the cursor, what happened then, and the control that moves it by keys, fingers and screen readers. */
function Cursor({
  steps,
  step,
  events,
  series,
  onMove,
}: {
  readonly steps: Steps;
  readonly step: number;
  readonly events: readonly AuditEvent[] | null;
  readonly series: readonly Series[];
  readonly onMove: (at: number) => void;
}) {
  const at = middleOf(steps, step);
  const stride = Math.max(1, Math.round(steps.count / strides));
  const told = toldOf(eventsNear(events ?? [], at, stride * steps.length).reverse()).map(({ text }) => text);
  const moment = momentInWords(at);
  const figures = series.map((one) => `${t.history.plots[one.name]}: ${figuresInWords(one, step)}`);
  return (
    <div class="history-cursor-bar" ref={tellHeight["--bar-above"]}>
      <p>
        <strong>{moment}</strong> <bdi>{told.length === 0 ? "" : told.join(" · ")}</bdi>
      </p>
      <input
        type="range"
        aria-label={t.history.time}
        aria-valuetext={[moment, ...figures, ...told].join("; ")}
        title={t.history.hint}
        min={(steps.count - 1) % stride}
        max={steps.count - 1}
        step={stride}
        value={step}
        onInput={({ currentTarget }) => onMove(middleOf(steps, Number(currentTarget.value)))}
      />
      <Axis time={timeOf(steps)} />
    </div>
  );
}
