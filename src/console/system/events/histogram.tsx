import type { TargetedEvent, TargetedKeyboardEvent, TargetedPointerEvent } from "preact";
import { useId, useState } from "preact/hooks";
import { figure, timeOfDay } from "../../catalogue/formats.ts";
import { locale, t } from "../../catalogue/words.ts";
import { Button } from "../../ui/button.tsx";
import type { Bar } from "./bars.ts";
import { changeEventsQuery } from "./events-query.ts";

interface HistogramProps {
  readonly bars: readonly Bar[];
  /** The length of a bar, on average. */
  readonly stepMilliseconds: number;
  /** True: a span of time is chosen already. */
  readonly isNarrowed: boolean;
}

const day = 86_400_000;

/** When it happened, as bars: one of them, or several that are marked, narrow the list to their time. */
export function Histogram({ bars, stepMilliseconds, isNarrowed }: HistogramProps) {
  const keysId = useId();
  const marking = useMarking(bars.length);
  const { from, to, at } = marking;
  const end = bars.at(-1);
  const most = Math.max(1, ...bars.map(({ count }) => count));
  const narrow = ({ target }: TargetedEvent<HTMLElement>): void => {
    // A drag over several ends in a click on none of them.
    const index = placeOf(target) ?? (from < to ? at : null);
    if (index === null) return;
    narrowTo(index < from || index > to ? [bars[index]] : bars.slice(from, to + 1));
    marking.mark(null);
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
      <div
        class="histogram-bars"
        role="toolbar"
        aria-label={t.events.overTime}
        aria-describedby={keysId}
        onClick={narrow}
        onKeyDown={marking.onKeyDown}
        onPointerDown={marking.begin}
        onPointerOver={marking.onPointerOver}
      >
        {bars.map((bar, index) => (
          <button
            key={bar.from ?? "first"}
            type="button"
            data-bar={index}
            class={from < to && index >= from && index <= to ? "marked" : undefined}
            tabIndex={index === at ? 0 : -1}
            aria-label={t.events.barOf(timeOf(bar, stepMilliseconds), bar.count, bar.refused)}
            title={t.events.barOf(timeOf(bar, stepMilliseconds), bar.count, bar.refused)}
          >
            <Column bar={bar} most={most} />
          </button>
        ))}
      </div>
      <p class="histogram-ends hint" aria-hidden="true">
        <span>{bars[0] && endOf(bars[0], bars[0].from, stepMilliseconds)}</span>
        <span>{end && endOf(end, stepMilliseconds < day ? end.to : end.from, stepMilliseconds)}</span>
      </p>
      <p class="unseen" id={keysId}>
        {t.events.barKeys}
      </p>
    </figure>
  );
}

/** As high as its events are many, the refused ones at its top. */
function Column({ bar: { count, refused, from, to }, most }: { readonly bar: Bar; readonly most: number }) {
  const share = (part: number) => `${(100 * part) / most}%`;
  return (
    <span
      class={from === null || to === null ? "column open-ended" : "column"}
      style={{ height: share(count) }}
    >
      <span class="column-refused" style={{ height: `${(100 * refused) / Math.max(1, count)}%` }} />
    </span>
  );
}

/** The bars that a person marks, with the arrow keys and Shift or by drawing over them. */
function useMarking(length: number) {
  const [marked, mark] = useState<{ readonly anchor: number; readonly at: number } | null>(null);
  const last = length - 1;
  const at = Math.min(marked?.at ?? last, last);
  const anchor = Math.min(marked?.anchor ?? at, last);
  return {
    at,
    from: Math.min(anchor, at),
    to: Math.max(anchor, at),
    mark,
    onKeyDown: (event: TargetedKeyboardEvent<HTMLElement>): void => {
      const here = placeOf(event.target) ?? at;
      const places = { ArrowLeft: here - 1, ArrowRight: here + 1, Home: 0, End: last };
      if (!Object.hasOwn(places, event.key)) return;
      event.preventDefault();
      const next = Math.max(0, Math.min(last, places[event.key as keyof typeof places]));
      event.currentTarget.querySelector<HTMLElement>(`[data-bar="${next}"]`)?.focus();
      mark({ at: next, anchor: !event.shiftKey ? next : here === at ? anchor : here });
    },
    begin: ({ target }: TargetedEvent<HTMLElement>): void => {
      const index = placeOf(target);
      mark(index === null ? null : { at: index, anchor: index });
    },
    onPointerOver: ({ target, buttons }: TargetedPointerEvent<HTMLElement>): void => {
      const index = placeOf(target);
      if (index !== null && buttons === 1) mark({ at: index, anchor });
    },
  };
}

function placeOf(target: EventTarget | null): number | null {
  const place =
    target instanceof Element ? target.closest<HTMLElement>("[data-bar]")?.dataset.bar : undefined;
  return place === undefined ? null : Number(place);
}

function narrowTo(bars: readonly (Bar | undefined)[]): void {
  const since = bars[0]?.from ?? null;
  const until = bars.at(-1)?.to ?? null;
  changeEventsQuery({
    since: since === null ? "" : new Date(since).toISOString(),
    // The agent takes the end as a part of the span, and the next bar begins there.
    until: until === null ? "" : new Date(until - 1).toISOString(),
  });
}

/** The time of a bar in words. */
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
