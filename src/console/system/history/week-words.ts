import type { History } from "../../../contract/types.ts";
import { locale, t } from "../../catalogue/words.ts";
import { sayings } from "./figure-words.ts";
import { daysUntilFull } from "./forecast.ts";
import { middleOf, type Series, seriesOf, stepsOf, timeOf, worstStep } from "./series.ts";

/** The figure that says most about a tile, and its end or its extreme. */
export interface Told {
  readonly series: Series;
  readonly words: string;
}

/** Null: the clock has no figure. */
export function clockIn(history: History): Told | null {
  const series = seriesOf(history).find(({ name }) => name === "clock");
  return series === undefined ? null : { series, words: extremeInWords(series, history) };
}

/** The disk if it will be full, else the temperature, else the disk all the same: some devices have no sensor. */
export function hostIn(history: History): Told | null {
  const all = seriesOf(history);
  const [disk, temperature] = (["disk", "temperature"] as const).map((sought) =>
    all.find(({ name }) => name === sought),
  );
  const days = disk === undefined ? null : daysUntilFull(disk.mean, history.step_seconds);
  if (disk !== undefined && days !== null)
    return { series: disk, words: `${t.home.disk}: ${t.history.week.full(days)}` };
  const series = temperature ?? disk;
  if (series === undefined) return null;
  const words = extremeInWords(series, history);
  // Its unit says that it is the temperature.
  return { series, words: series === disk ? `${t.home.disk}: ${words}` : words };
}

function extremeInWords(series: Series, history: History): string {
  const steps = stepsOf(history);
  const step = worstStep(series);
  const say = series.name === "clock" ? t.history.week.farthest : t.history.week.highest;
  const day = dayInWords(middleOf(steps, step), timeOf(steps).high);
  return say(sayings[series.name](series.worst[step] ?? 0), day);
}

const dayMilliseconds = 86_400_000;

/** `today`, `yesterday`, `on Tuesday`, `7 days ago` on a Tuesday, by the browser's calendar. Both since 1970. */
export function dayInWords(at: number, now: number): string {
  const days = Math.round((midnightOf(at) - midnightOf(now)) / dayMilliseconds);
  if (days >= -1 || days <= -7)
    return new Intl.RelativeTimeFormat(locale, { numeric: "auto" }).format(days, "day");
  return t.history.week.on(new Date(at).toLocaleDateString(locale, { weekday: "long" }));
}

function midnightOf(at: number): number {
  return new Date(at).setHours(0, 0, 0, 0);
}
