import { t } from "../../catalogue/words.ts";
import type { WeekLineProps } from "../../client/parts.ts";
import { useResource } from "../../client/use-resource.ts";
import { Link } from "../../navigation/link.tsx";
import { Plot } from "../../plot/plot.tsx";
import { dayInWords, worstInWords } from "./figure-words.ts";
import { daysUntilFull } from "./forecast.ts";
import { axisOf, type PlotName, pointsOf, seriesOf, stepsOf, timeOf } from "./series.ts";

/** The least span of the axis, so that a calm week is a calm line: 2 ms, 10 °C. */
const leastSpans: Partial<Readonly<Record<PlotName, number>>> = { clock: 0.002, temperature: 10 };

/**
 * The week of the figure that says most about a tile: a line without axes, a dot at its end, and its end or its extreme in
 * words. The worst of each half hour, so that the extreme is in the line, which is too small to show more.
 */
export function WeekLine({ of }: WeekLineProps) {
  const { value } = useResource("getHistory", { query: { hours: 168, step_seconds: 1_800 } });
  if (value === null) return null;
  const steps = stepsOf(value);
  const [clock, disk, heat] = (["clock", "disk", "temperature"] as const).map((sought) =>
    seriesOf(value).find(({ name }) => name === sought),
  );
  const days = disk === undefined ? null : daysUntilFull(disk.mean, value.step_seconds);
  // Without a forecast the temperature says more, but some devices have no sensor.
  const series = of === "clock" ? clock : days === null ? (heat ?? disk) : disk;
  if (series === undefined) return <p>{t.history.week.none}</p>;
  const dayOf = (at: number) => dayInWords(at, timeOf(steps).high);
  const isFilling = series === disk && days !== null;
  const words = isFilling ? t.history.week.full(days) : worstInWords(series, steps, t.history.week, dayOf);
  const line = pointsOf(series.worst, steps);
  const { low, high } = axisOf(series);
  const more = Math.max(0, (leastSpans[series.name] ?? 0) - (high - low)) / 2;
  const ends = { time: timeOf(steps), axis: { low: low - more, high: high + more } };
  return (
    <Link to="/system/history">
      <Plot name="week-line" ends={ends} line={line} worst={line.filter(Boolean).slice(-1)} />
      {/* The unit of the others says which they are. */}
      {series === disk ? `${t.home.disk}: ${words}` : words}
    </Link>
  );
}
