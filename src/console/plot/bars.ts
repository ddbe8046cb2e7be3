import type { EventCounts } from "../../contract/types.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** A width of bars. Days and weeks are those of the calendar in the browser's time zone. */
export interface Step {
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

/** The bars of a record of which no span of time is chosen. */
export const daily = ofTheCalendar(1, 0);

export const steps: readonly Step[] = [
  ...[minute, 5 * minute, 15 * minute, hour, 4 * hour].map(ofTheClock),
  daily,
  // A Monday is day 1.
  ofTheCalendar(7, 6),
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

/** Bars of so many days; `shift` is added to the day of the week, which is 0 on a bar's first day then. */
function ofTheCalendar(days: number, shift: number): Step {
  return {
    milliseconds: days * day,
    edge: (time, count) => {
      const at = new Date(time);
      const first = at.getDate() - ((at.getDay() + shift) % days);
      return new Date(at.getFullYear(), at.getMonth(), first + days * count).getTime();
    },
  };
}

/** The smallest step with which a span of time has no more bars than `most`, else the largest. */
export function stepOfSpan(from: number, to: number, most: number): Step {
  return steps.find(({ milliseconds }) => (to - from) / milliseconds <= most) ?? (steps.at(-1) as Step);
}

/** The agent takes no more. */
const mostEdges = 64;

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

/** Bars between edges, with what is before and behind them as a bar each, where that is something; none without events. */
export function barsOf(edges: readonly number[], { spans }: EventCounts): readonly Bar[] {
  const bars = spans
    .map((span, index): Bar => ({ from: edges[index - 1] ?? null, to: edges[index] ?? null, ...span }))
    .filter(({ from, to, count }) => count > 0 || (from !== null && to !== null));
  return bars.some(({ count }) => count > 0) ? bars : [];
}
