import type { Range } from "../../../contract/clock/source-intervals.ts";
import { figure, pageFormat, percent, withUnit, zoneOfTwice } from "../../catalogue/formats.ts";
import { locale, t } from "../../catalogue/words.ts";
import { type Axis, placeInWords, withUncertainty } from "../../plot/axis.ts";
import { edgesOf, stepOfSpan } from "../../plot/bars.ts";
import type { ScaleMark } from "../../plot/lanes.tsx";
import { middleOf, type PlotName, type Series, type Steps, summaryOf, worstStep } from "./series.ts";

const sayings: Readonly<Record<PlotName, (value: number) => string>> = {
  clock: (seconds) => t.history.lag(seconds, pageFormat),
  disk: percent,
  memory: percent,
  load: (load) => figure(load, 2),
  temperature: (celsius) => withUnit(figure(celsius, 1), "°C"),
};

/** An end of an axis: `+20 ms`, `100 %`. */
export function endInWords(name: PlotName, axis: Axis, value: number): string {
  return name === "clock" ? placeInWords(axis, value) : sayings[name](value);
}

/** The figures of some steps: `38 °C, up to 41 °C`. */
export function figuresInWords(series: Series, from: number, to = from + 1): string {
  const { mean, worst, uncertainty } = summaryOf(series, from, to);
  const say = sayings[series.name];
  if (mean === null) return t.history.unknown;
  const usual = withUncertainty(say(mean), uncertainty);
  return worst === null || say(worst) === say(mean) ? usual : `${usual}, ${t.history.upTo(say(worst))}`;
}

/** The worst figure of all, and when it was: `highest 52 °C, Tue 14:35`. */
export function worstInWords(
  series: Series,
  steps: Steps,
  words: Pick<typeof t.history, "farthest" | "highest"> = t.history,
  when = momentInWords,
): string {
  const step = worstStep(series);
  const say = series.name === "clock" ? words.farthest : words.highest;
  return say(sayings[series.name](series.worst[step] ?? 0), when(middleOf(steps, step)));
}

/** `today`, `yesterday`, `on Tuesday`, `7 days ago` on a Tuesday, by the browser's calendar. Both since 1970. */
export function dayInWords(at: number, now: number): string {
  const midnightOf = (time: number) => new Date(time).setHours(0, 0, 0, 0);
  const days = Math.round((midnightOf(at) - midnightOf(now)) / 86_400_000);
  if (days >= -1 || days <= -7)
    return new Intl.RelativeTimeFormat(locale, { numeric: "auto" }).format(days, "day");
  return t.history.week.on(new Date(at).toLocaleDateString(locale, { weekday: "long" }));
}

/** Marks that an axis has at most: a day has each fourth hour, a week its midnights. */
const mostMarks = 7.1;

/** Midnights, hours or minutes, by the browser's clock; `more` is added where there is room. */
export function marksOf({ low, high }: Range): ScaleMark[] {
  const step = stepOfSpan(low, high, mostMarks);
  // `16:00`, or `4 PM` where hours are counted to 12: the minutes would take the room of the next mark.
  const isShort = locale === "en-US" && step.milliseconds >= 3_600_000;
  return edgesOf(step, low, high)
    .filter((at) => at >= low && at <= high)
    .map((at) => {
      const said = (style: Intl.DateTimeFormatOptions) => new Date(at).toLocaleString(locale, style);
      const isMidnight = new Date(at).getHours() + new Date(at).getMinutes() === 0;
      const text = said(
        isMidnight ? { weekday: "short" } : isShort ? { hour: "numeric" } : { timeStyle: "short" },
      );
      return { at, text, more: isMidnight ? ` ${said({ day: "numeric" })}` : "" };
    });
}

/** `Tue, 24 Nov, 14:35`. */
export function momentInWords(at: number): string {
  const day = { weekday: "short", day: "numeric", month: "short" } as const;
  const time = new Date(at);
  return time.toLocaleString(locale, { ...day, hour: "2-digit", minute: "2-digit" }) + zoneOfTwice(time);
}
