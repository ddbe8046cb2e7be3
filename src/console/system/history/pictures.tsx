import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import { placeOf, type Range } from "../../../contract/clock/source-intervals.ts";
import type { AuditEvent, History, Need } from "../../../contract/types.ts";
import { longDuration } from "../../catalogue/formats.ts";
import { t } from "../../catalogue/words.ts";
import { useResource } from "../../client/use-resource.ts";
import { eventSentence } from "../../home/event-words.ts";
import { Link } from "../../navigation/link.tsx";
import { Lane, Scale } from "../../plot/lanes.tsx";
import { block, upright, whole } from "../../plot/path.ts";
import { Plot } from "../../plot/plot.tsx";
import { PlotField } from "../../plot/plot-field.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { ZoneNote } from "../../ui/words/zone-note.tsx";
import { endInWords, figuresInWords, marksOf, momentInWords, worstInWords } from "./figure-words.ts";
import { type Fault, faultsOf, happenedIn, ticksOf, timeOfEvent } from "./happenings.ts";
import {
  axisOf,
  bandsOf,
  gapsOf,
  middleOf,
  pointsOf,
  type Series,
  type Steps,
  seriesOf,
  stepAt,
  stepsOf,
  timeOf,
} from "./series.ts";

/** Steps in which the arrow keys lead through all of it, and the share of it that is near the cursor. */
const strides = 288;

/** Share of the width beyond which a label would leave it. */
const lastLabel = 0.93;

/** Rows of the table, about: an hour of a day each, a quarter of a day of a week. */
const mostRows = 28;

interface PicturesProps {
  readonly history: History;
  /** null: the user may not see them. */
  readonly events: readonly AuditEvent[] | null;
  readonly notes: ComponentChildren;
}

/** The events and the plots over one time, with a cursor that is moved by pointers, keys and screen readers. */
export function Pictures({ history, events, notes }: PicturesProps) {
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
  return (
    <>
      <PlotField
        label={t.logs.time}
        hint={t.history.hint}
        head={
          <>
            <strong>{momentInWords(at)}</strong> <bdi>{told.join(" · ")}</bdi>
          </>
        }
        spoken={[momentInWords(at), ...spoken].join("; ")}
        first={(steps.count - 1) % stride}
        last={steps.count - 1}
        stride={stride}
        steps={steps.count + 1}
        step={step}
        place={placeOf(time, at)}
        onStep={(next) => setChosen(middleOf(steps, next))}
        onPlace={(share) => setChosen(time.low + share * (time.high - time.low))}
        scale={<Scale range={time} marks={drawn.marks} />}
      >
        {drawn.lanes}
        {series.map((one, index) => (
          <figure key={one.name} class="history-plot">
            <figcaption class="line">
              <h3>{t.history.plots[one.name]}</h3>
              <span class="hint">{worstInWords(one, steps)}</span>
              <strong>{figures[index]}</strong>
            </figcaption>
            {drawn.plots[index]}
          </figure>
        ))}
      </PlotField>
      <p class="hint">
        {series.length > 0 ? t.history.legend : t.history.none} {drawn.hasGaps && t.history.gaps} {notes}
      </p>
      <ZoneNote />
      {drawn.table}
    </>
  );
}

/** All that does not move with the cursor; each plot is heard as its figures in short. */
function draw(history: History, events: readonly AuditEvent[] | null, needs: readonly Need[] = []) {
  const [steps, series] = [stepsOf(history), seriesOf(history)];
  const [time, gaps] = [timeOf(steps), gapsOf(series, steps)];
  const marks = marksOf(time);
  const faults = faultsOf(events ?? [], needs, time);
  const begins = faults.flatMap(({ spans }) => spans.map(({ low }) => low));
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
        name="plot-marks history-marks"
        ends={{ time, axis: whole }}
        bands={gaps}
        worst={begins.filter((at) => at >= time.low).flatMap(upright)}
        line={marks.flatMap(({ at }) => upright(at))}
      />
      {events && lanesOf(faults, events, time)}
    </>
  );
  const table = tableOf(steps, series, events);
  const labels = marks.filter(({ at }) => placeOf(time, at) < lastLabel);
  return { steps, series, time, marks: labels, hasGaps: gaps.some(Boolean), plots, lanes, table };
}

/** When what needed attention began and ended, as bars, and other events as ticks, a row each kind. */
function lanesOf(faults: readonly Fault[], events: readonly AuditEvent[], time: Range) {
  return (
    <div class="history-lanes lanes">
      <header class="line">
        <h3>{t.history.happened}</h3>
        <Link to="/system/events" query={{ since: "7d" }}>
          {t.home.all}
        </Link>
      </header>
      {faults.length === 0 && <p class="hint">{t.history.noFaults}</p>}
      <ul>
        {faults.map(({ title, level, spans }) => (
          <Lane
            key={title}
            state={level === "failing" ? "wrong" : "attention"}
            title={title}
            range={time}
            bands={spans.flatMap(block)}
          >
            {lastInWords(spans.length, spans.map(spanInWords))}
          </Lane>
        ))}
        {ticksOf(events, time).map(([row, ticks]) => (
          <Lane
            key={row}
            title={t.history.ticks[row]}
            range={time}
            line={ticks.flatMap((event) => upright(timeOfEvent(event)))}
          >
            {lastInWords(
              ticks.reduce((sum, { count }) => sum + count, 0),
              ticks.map((one) => `${eventSentence(one)}, ${momentInWords(timeOfEvent(one))}`),
            )}
          </Lane>
        ))}
      </ul>
    </div>
  );
}

function lastInWords(count: number, words: readonly string[]): string {
  const last = words.at(-1) ?? "";
  return count > 1 ? t.history.times(count, last) : last;
}

function spanInWords({ low, high }: Range): string {
  if (high === Infinity)
    return low === -Infinity ? t.history.sinceBefore : t.history.since(momentInWords(low));
  if (low === -Infinity) return t.history.until(momentInWords(high));
  return t.history.fromTo(momentInWords(low), momentInWords(high), longDuration((high - low) / 1_000));
}

/** The happenings in words, behind a fold; the newest is first. */
function tableOf(
  { start, length, count }: Steps,
  series: readonly Series[],
  events: readonly AuditEvent[] | null,
) {
  const size = Math.ceil(count / mostRows / 12) * 12;
  const rows = Array.from({ length: Math.ceil(count / size) }, (_, row) => row * size).reverse();
  // The last row has the events of the step that is not over as well.
  const endOf = (from: number) => (from + size < count ? from + size : count + 1);
  const timeOfRow = (from: number) => ({
    low: start + from * length,
    high: start + endOf(from) * length - 1,
  });
  const columns: Column<number>[] = [
    { key: "time", title: t.logs.time, cell: (from: number) => momentInWords(start + from * length) },
    ...series.map((one) => ({
      key: one.name,
      title: t.history.plots[one.name],
      cell: (from: number) => figuresInWords(one, from, endOf(from)),
    })),
    {
      key: "events",
      title: t.history.happened,
      cell: (from: number) => <bdi>{happenedIn(events ?? [], timeOfRow(from)).join("; ")}</bdi>,
    },
  ].slice(0, events === null ? -1 : undefined);
  return (
    <details class="more history-table">
      <summary>{t.history.table}</summary>
      <Table caption={t.system.tabs.history} columns={columns} rows={rows} rowKey={String} />
    </details>
  );
}
