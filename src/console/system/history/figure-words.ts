import type { History } from "../../../contract/types.ts";
import { figure, pageFormat, percent, withUnit } from "../../catalogue/formats.ts";
import { locale, t } from "../../catalogue/words.ts";
import { type Axis, placeInWords, withUncertainty } from "../../plot/axis.ts";
import { daysUntilFull } from "./forecast.ts";
import {
  middleOf,
  type PlotName,
  type Series,
  type Steps,
  seriesOf,
  stepsOf,
  summaryOf,
  timeOf,
  worstStep,
} from "./series.ts";
import { momentInWords } from "./time-marks.ts";

/** A figure of each plot in words. */
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
  words: Extremes = t.history,
  when = momentInWords,
): string {
  const step = worstStep(series);
  const say = series.name === "clock" ? words.farthest : words.highest;
  return say(sayings[series.name](series.worst[step] ?? 0), when(middleOf(steps, step)));
}

type Extremes = Record<"farthest" | "highest", (figure: string, when: string) => string>;

/**
 * The figure that says most about a tile, with its end or its extreme; null: there is none. Of the host the disk if it will
 * be full, else the temperature, else the disk all the same: some devices have no sensor.
 */
export function weekInWords(history: History, of: "clock" | "host"): readonly [Series, string] | null {
  const all = seriesOf(history);
  const [clock, disk, heat] = (["clock", "disk", "temperature"] as const).map((sought) =>
    all.find(({ name }) => name === sought),
  );
  const steps = stepsOf(history);
  const days = disk === undefined ? null : daysUntilFull(disk.mean, history.step_seconds);
  const series = of === "clock" ? clock : days === null ? (heat ?? disk) : disk;
  if (series === undefined) return null;
  const words =
    series === disk && days !== null
      ? t.history.week.full(days)
      : worstInWords(series, steps, t.history.week, (at) => dayInWords(at, timeOf(steps).high));
  // The unit of the others says which they are.
  return [series, series === disk ? `${t.home.disk}: ${words}` : words];
}

const dayMilliseconds = 86_400_000;

/** `today`, `yesterday`, `on Tuesday`, `7 days ago` on a Tuesday, by the browser's calendar. Both since 1970. */
export function dayInWords(at: number, now: number): string {
  const midnightOf = (time: number) => new Date(time).setHours(0, 0, 0, 0);
  const days = Math.round((midnightOf(at) - midnightOf(now)) / dayMilliseconds);
  if (days >= -1 || days <= -7)
    return new Intl.RelativeTimeFormat(locale, { numeric: "auto" }).format(days, "day");
  return t.history.week.on(new Date(at).toLocaleDateString(locale, { weekday: "long" }));
}
