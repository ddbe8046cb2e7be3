import { useState } from "preact/hooks";
import { figure, timeOfDay } from "../../catalogue/formats.ts";
import { locale, t } from "../../catalogue/words.ts";
import type { Bar } from "../../plot/bars.ts";
import { type Band, block } from "../../plot/path.ts";
import { Plot } from "../../plot/plot.tsx";
import { PlotField } from "../../plot/plot-field.tsx";
import { Button } from "../../ui/button.tsx";
import { changeEventsQuery } from "./events-query.ts";

const day = 86_400_000;

/** Shares of the highest bar and of the width of one: the least height of a bar with events, and the room beside it. */
const [leastHeight, room] = [0.04, 0.06];

/** When it happened, as bars; the one that is chosen narrows the list to its time. */
export function Histogram({
  bars,
  stepMilliseconds,
  isNarrowed,
}: {
  readonly bars: readonly Bar[];
  /** The length of a bar, on average. */
  readonly stepMilliseconds: number;
  /** True: a span of time is chosen already. */
  readonly isNarrowed: boolean;
}) {
  /** null: none was chosen, which is the newest. */
  const [chosen, choose] = useState<number | null>(null);
  const last = bars.length - 1;
  const at = Math.min(chosen ?? last, last);
  const [first, bar, end] = [bars[0], bars[at], bars[last]];
  if (first === undefined || bar === undefined || end === undefined) return null;
  const most = Math.max(1, ...bars.map(({ count }) => count));
  const ends = { time: { low: 0, high: bars.length }, axis: { low: 0, high: most } };
  const columns = (heightOf: (bar: Bar) => readonly [low: number, high: number]): (Band | null)[] =>
    bars.flatMap((one, index) => {
      const [low, high] = heightOf(one);
      return block({ low: index + room, high: index + 1 - room }).map(
        (edge) => edge && { ...edge, low, high },
      );
    });
  const highOf = ({ count }: Bar): number => (count === 0 ? 0 : Math.max(count, most * leastHeight));
  const words = t.events.barOf(timeOf(bar, stepMilliseconds), bar.count, bar.refused);
  const narrow = (): void => {
    narrowTo(bar);
    choose(null);
  };
  return (
    <figure class="histogram">
      <figcaption class="line hint">
        <span>{t.events.overTime}</span>
        <span>{t.events.atMost(figure(most))}</span>
        {bars.some(({ refused }) => refused > 0) && <span class="histogram-key">{t.events.refused}</span>}
        {isNarrowed && (
          <Button kind="quiet" onClick={() => changeEventsQuery({ since: "", until: "" })}>
            {t.events.wholeTime}
          </Button>
        )}
      </figcaption>
      <PlotField
        label={t.events.overTime}
        hint={t.events.barKeys}
        head={
          <>
            {words}{" "}
            <Button kind="quiet" onClick={narrow}>
              {t.events.onlyThese}
            </Button>
          </>
        }
        spoken={words}
        last={last}
        step={at}
        place={(at + 0.5) / bars.length}
        onStep={choose}
        onPlace={(share) => choose(Math.max(0, Math.min(last, Math.floor(share * bars.length))))}
        onChoose={narrow}
      >
        <Plot
          name="histogram-bars"
          ends={ends}
          bands={columns((one) => [0, highOf(one)])}
          marked={columns((one) => [highOf(one) * (1 - one.refused / Math.max(1, one.count)), highOf(one)])}
        />
      </PlotField>
      <p class="histogram-ends between hint" aria-hidden="true">
        <span>{endOf(first, first.from, stepMilliseconds)}</span>
        <span>{endOf(end, stepMilliseconds < day ? end.to : end.from, stepMilliseconds)}</span>
      </p>
    </figure>
  );
}

function narrowTo({ from, to }: Bar): void {
  changeEventsQuery({
    since: from === null ? "" : new Date(from).toISOString(),
    // The agent takes the end as a part of the span, and the next bar begins there.
    until: to === null ? "" : new Date(to - 1).toISOString(),
  });
}

function timeOf({ from, to }: Bar, step: number): string {
  if (from === null) return t.events.earlier;
  if (to === null) return t.events.later;
  if (step === day) return new Date(from).toLocaleDateString(locale, { dateStyle: "full" });
  const format = new Intl.DateTimeFormat(
    locale,
    step < day ? { dateStyle: "medium", timeStyle: "short" } : { dateStyle: "medium" },
  );
  return format.formatRange(from, step < day ? to : to - 1);
}

/** A time of the first or the last bar in short, below it. */
function endOf({ from, to }: Bar, time: number | null, step: number): string {
  if (from === null) return t.events.earlier;
  if (to === null || time === null) return t.events.later;
  const at = new Date(time);
  return step < day ? timeOfDay(at) : at.toLocaleDateString(locale, { dateStyle: "medium" });
}
