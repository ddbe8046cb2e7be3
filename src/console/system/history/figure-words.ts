import type { Range } from "../../../contract/clock/source-intervals.ts";
import { figure, pageFormat, percent, withUnit } from "../../catalogue/formats.ts";
import { locale, t } from "../../catalogue/words.ts";
import { type Axis, placeInWords, withUncertainty } from "../../plot/axis.ts";
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

/** Hours between two marks of a day. */
const markHours = 4;

/** The midnights of several days, or some hours of one, by the browser's clock; `more` is added where there is room. */
export function marksOf({ low, high }: Range) {
  // By the calendar: a day of summer time's begin or end has another number of hours.
  const hours = high - low > 2 * 86_400_000 ? 24 : markHours;
  // `16:00`, or `4 PM` where hours are counted to 12: the minutes would take the room of the next mark.
  const hour = locale === "en-US" ? ({ hour: "numeric" } as const) : ({ timeStyle: "short" } as const);
  const marks: ScaleMark[] = [];
  const at = new Date(low);
  for (at.setHours(0, 0, 0, 0); at.getTime() <= high; at.setHours(at.getHours() + hours)) {
    const said = (style: Intl.DateTimeFormatOptions) => at.toLocaleString(locale, style);
    const isMidnight = at.getHours() === 0;
    const text = said(isMidnight ? { weekday: "short" } : hour);
    if (at.getTime() >= low)
      marks.push({ at: at.getTime(), text, more: isMidnight ? ` ${said({ day: "numeric" })}` : "" });
  }
  return marks;
}

/** `Tue, 24 Nov, 14:35`. */
export function momentInWords(at: number): string {
  const day = { weekday: "short", day: "numeric", month: "short" } as const;
  return new Date(at).toLocaleString(locale, { ...day, hour: "2-digit", minute: "2-digit" });
}
