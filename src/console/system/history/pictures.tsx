import { useMemo, useState } from "preact/hooks";
import { placeOf, type Range } from "../../../contract/clock/source-intervals.ts";
import type { AuditEvent, History, Need } from "../../../contract/types.ts";
import { t } from "../../catalogue/words.ts";
import { useResource } from "../../client/use-resource.ts";
import { percent } from "../../plot/axis.ts";
import { block, upright, whole } from "../../plot/path.ts";
import { Plot } from "../../plot/plot.tsx";
import { tellHeight } from "../../ui/focus.ts";
import { endInWords, figuresInWords, worstInWords } from "./figure-words.ts";
import { faultsOf, happenedIn } from "./happenings.ts";
import { HistoryTable } from "./history-table.tsx";
import { Lanes } from "./lanes.tsx";
import { axisOf, bandsOf, gapsOf, middleOf, pointsOf, seriesOf, stepAt, stepsOf, timeOf } from "./series.ts";
import { marksOf, momentInWords } from "./time-marks.ts";

/** Steps in which the arrow keys lead through all of it, and the share of it that is near the cursor. */
const strides = 288;

/** Share of the width beyond which a label would leave it. */
const lastLabel = 0.93;

interface PicturesProps {
  readonly history: History;
  /** null: the user may not see them. */
  readonly events: readonly AuditEvent[] | null;
  /** Events before this time may be missing; null: none is. */
  readonly missingBefore: string | null;
}

/** The events and the plots over one time, with a cursor that is moved by pointers, keys and screen readers. */
export function Pictures({ history, events, missingBefore }: PicturesProps) {
  const needs = useResource("getStatus").value?.needs;
  /** Milliseconds since 1970; null: the cursor has not been moved, and is at the newest figures. */
  const [chosen, setChosen] = useState<number | null>(null);
  const drawn = useMemo(() => draw(history, events, needs), [history, events, needs]);
  const { steps, series, time } = drawn;
  const step = chosen === null ? steps.count - 1 : stepAt(steps, chosen);
  const [at, stride] = [middleOf(steps, step), Math.max(1, Math.round(steps.count / strides))];
  const figures = series.map((one) => figuresInWords(one, step));
  const reach = stride * steps.length;
  const told = happenedIn(events ?? [], { low: at - reach, high: at + reach });
  const spoken = [...series.map(({ name }, index) => `${t.history.plots[name]}: ${figures[index]}`), ...told];
  const move = ({ clientX, currentTarget }: PointerEvent & { readonly currentTarget: Element }) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    setChosen(time.low + ((clientX - left) / width) * (time.high - time.low));
  };
  return (
    <>
      <div class="history-cursor-bar" ref={tellHeight["--bar-above"]}>
        <p>
          <strong>{momentInWords(at)}</strong> <bdi>{told.join(" · ")}</bdi>
        </p>
        <input
          type="range"
          aria-label={t.history.time}
          aria-valuetext={[momentInWords(at), ...spoken].join("; ")}
          title={t.history.hint}
          min={(steps.count - 1) % stride}
          max={steps.count - 1}
          step={stride}
          value={step}
          onInput={({ currentTarget }) => setChosen(middleOf(steps, Number(currentTarget.value)))}
        />
        <Axis time={time} />
      </div>
      <div class="history-field" onPointerDown={move} onPointerMove={move}>
        {drawn.lanes}
        {series.map((one, index) => (
          <figure key={one.name} class="history-plot">
            <figcaption>
              <h3>{t.history.plots[one.name]}</h3>
              <span class="hint">{worstInWords(one, steps)}</span>
              <strong>{figures[index]}</strong>
            </figcaption>
            {drawn.plots[index]}
          </figure>
        ))}
        <Axis time={time} />
        <div class="history-cursor" style={{ left: percent(placeOf(time, at)) }} />
      </div>
      <p class="hint">
        {t.history.legend} {drawn.hasGaps && t.history.gaps}{" "}
        {missingBefore !== null && t.history.tooMany(momentInWords(Date.parse(missingBefore)))}
      </p>
      <HistoryTable steps={steps} series={series} events={events} />
    </>
  );
}

/** All that does not move with the cursor; each plot is heard as its figures in short. */
function draw(history: History, events: readonly AuditEvent[] | null, needs: readonly Need[] = []) {
  const [steps, series] = [stepsOf(history), seriesOf(history)];
  const [time, gaps] = [timeOf(steps), gapsOf(series, steps)];
  const faults = faultsOf(events ?? [], needs, time);
  const begins = faults.flatMap(({ spans }) => spans.flatMap(({ begin }) => begin ?? []));
  const plots = series.map((one) => {
    const axis = axisOf(one);
    const words = `${t.history.plots[one.name]}: ${figuresInWords(one, 0, steps.count)}; ${worstInWords(one, steps)}`;
    return (
      <div key={one.name} role="img" aria-label={words}>
        <Plot
          ends={{ time, axis }}
          high={endInWords(one.name, axis, axis.high)}
          low={endInWords(one.name, axis, axis.low)}
          bands={bandsOf(one, steps)}
          worst={pointsOf(one.worst, steps)}
          line={pointsOf(one.mean, steps)}
        />
      </div>
    );
  });
  const lanes = (
    <>
      <Plot
        name="history-marks"
        ends={{ time, axis: whole }}
        bands={gaps.flatMap(({ low, high }) => block(low, high))}
        worst={begins.filter((at) => at >= time.low).flatMap(upright)}
        line={marksOf(time).flatMap(({ at }) => upright(at))}
      />
      {events && <Lanes {...{ faults, events, time }} />}
    </>
  );
  return { steps, series, time, hasGaps: gaps.length > 0, plots, lanes };
}

/** The labels of the one axis of time. */
function Axis({ time }: { readonly time: Range }) {
  const marks = marksOf(time).filter(({ at }) => placeOf(time, at) < lastLabel);
  return (
    <svg aria-hidden="true" class="plot history-axis" width="100%">
      {marks.map(({ at, text, more }) => (
        <text key={at} x={percent(placeOf(time, at))} y="14">
          {text}
          <tspan class="history-more">{more}</tspan>
        </text>
      ))}
    </svg>
  );
}
