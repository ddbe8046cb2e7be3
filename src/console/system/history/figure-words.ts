import { figure, pageFormat, percent, withUnit } from "../../catalogue/formats.ts";
import { t } from "../../catalogue/words.ts";
import { type Axis, placeInWords, withUncertainty } from "../../plot/axis.ts";
import { middleOf, type PlotName, type Series, type Steps, summaryOf, worstStep } from "./series.ts";
import { momentInWords } from "./time-marks.ts";

/** A figure of each plot in words. */
export const sayings: Readonly<Record<PlotName, (value: number) => string>> = {
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
export function worstInWords(series: Series, steps: Steps): string {
  const step = worstStep(series);
  const say = series.name === "clock" ? t.history.farthest : t.history.highest;
  return say(sayings[series.name](series.worst[step] ?? 0), momentInWords(middleOf(steps, step)));
}
