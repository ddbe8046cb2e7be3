import type { EventCounts } from "../../../contract/types.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** A width of bars. Days and longer ones are those of the calendar in the browser's time zone. */
export interface Step {
  /** For a unit of the calendar, the average. */
  readonly milliseconds: number;
  /** The beginning of the bar that is `count` bars behind the one of this time; both in milliseconds since 1970. */
  readonly edge: (at: number, count: number) => number;
}

/** A stretch of time with its events, in milliseconds since 1970; null: it has no such end. */
export interface Bar {
  readonly from: number | null;
  readonly to: number | null;
  readonly count: number;
  readonly refused: number;
}

/** The smallest first. */
export const steps: readonly Step[] = [
  ofTheClock(minute),
  ofTheClock(5 * minute),
  ofTheClock(15 * minute),
  ofTheClock(hour),
  ofTheClock(3 * hour),
  ofTheCalendar(day, (at, count) => new Date(at.getFullYear(), at.getMonth(), at.getDate() + count)),
  ofTheCalendar(7 * day, (at, count) => {
    const monday = at.getDate() - ((at.getDay() + 6) % 7);
    return new Date(at.getFullYear(), at.getMonth(), monday + 7 * count);
  }),
  ofTheCalendar(30.4 * day, (at, count) => new Date(at.getFullYear(), at.getMonth() + count, 1)),
  ofTheCalendar(365.25 * day, (at, count) => new Date(at.getFullYear() + count, 0, 1)),
];

/** Within a day bars are equally long, also where a clock is put forward or back for the summer. */
function ofTheClock(milliseconds: number): Step {
  return {
    milliseconds,
    edge: (at, count) => {
      const midnight = new Date(at).setHours(0, 0, 0, 0);
      return midnight + (Math.floor((at - midnight) / milliseconds) + count) * milliseconds;
    },
  };
}

function ofTheCalendar(milliseconds: number, edge: (at: Date, count: number) => Date): Step {
  return { milliseconds, edge: (at, count) => edge(new Date(at), count).getTime() };
}

/** Steps of which one shows the whole record; with shorter ones it would be another picture each minute. */
const stepsOfWhole = steps.slice(3);

/** The share of the record that may be older than a picture that shows the rest more closely. */
const negligible = 0.01;

/** The beginnings of the windows that `stepOfWhole` chooses from, in milliseconds, rising; each has `most` bars. */
export function windowEdges(to: number, most: number): readonly number[] {
  const begins = stepsOfWhole.map(({ edge }) => edge(to, 1 - most)).reverse();
  // There is nothing before 1970.
  return begins.map((at, index) => Math.max(at, index * 1_000));
}

/** The smallest step whose window has almost all of the record. `counts`: between `windowEdges`. */
export function stepOfWhole({ total, spans }: EventCounts): Step {
  let older = 0;
  let chosen = stepsOfWhole.length - 1;
  for (const [index, { count }] of spans.slice(0, stepsOfWhole.length).entries()) {
    older += count;
    if (older <= total * negligible) chosen = stepsOfWhole.length - 1 - index;
  }
  return stepsOfWhole[chosen] as Step;
}

/** The smallest step with which a span of time has no more bars than `most`. */
export function stepOfSpan(from: number, to: number, most: number): Step {
  const fitting = steps.find(({ milliseconds }) => (to - from) / milliseconds <= most);
  return fitting ?? (steps.at(-1) as Step);
}

/** The edges of the bars from the one of `from` to the one of `to`, in milliseconds; the last ones if there are too many. */
export function edgesOf({ edge }: Step, from: number, to: number): readonly number[] {
  const edges: number[] = [];
  for (let count = 1; edges.length < mostEdges; count -= 1) {
    const at = Math.max(edge(to, count), 0);
    edges.unshift(at);
    if (at <= from) break;
  }
  return edges;
}

/** The agent takes no more. */
const mostEdges = 64;

/** A picture of the whole record has so many bars at least, or the first hour of a device would be one wide block. */
const leastBars = 12;

/**
 * Bars between edges, with what is before and behind them as a bar each, where that is something. That of the whole
 * record begins about where the record does.
 */
export function barsOf(edges: readonly number[], { spans }: EventCounts, isWhole: boolean): readonly Bar[] {
  const all = spans.map(
    (span, index): Bar => ({
      from: edges[index - 1] ?? null,
      to: edges[index] ?? null,
      ...span,
    }),
  );
  const bars = all.filter(({ from, to, count }) => count > 0 || (from !== null && to !== null));
  const first = bars.findIndex(({ count }) => count > 0);
  if (first < 0) return [];
  return isWhole ? bars.slice(Math.min(first, Math.max(bars.length - leastBars, 0))) : bars;
}
