import { placeOf, type Range } from "../../../contract/clock/source-intervals.ts";
import { t } from "../../catalogue/words.ts";
import type { WeekLineProps } from "../../client/parts.ts";
import { useResource } from "../../client/use-resource.ts";
import { Link } from "../../navigation/link.tsx";
import { percent } from "../../plot/axis.ts";
import { type Ends, linePath } from "../../plot/path.ts";
import { axisOf, pointsOf, type Series, type Steps, stepsOf, timeOf } from "./series.ts";
import { clockIn, hostIn } from "./week-words.ts";

/** The week of the figure that says most about a tile: a line without axes, and its end or its extreme in words. */
export function WeekLine({ of }: WeekLineProps) {
  // In half hours: a line this small does not show more.
  const { value } = useResource("getHistory", { query: { hours: 168, step_seconds: 1_800 } });
  if (value === null) return null;
  const told = of === "clock" ? clockIn(value) : hostIn(value);
  if (told === null) return <p>{t.history.week.none}</p>;
  const steps = stepsOf(value);
  return (
    <Link to="/system/history">
      <Line series={told.series} steps={steps} />
      {told.words}
    </Link>
  );
}

/** The worst of each half hour, so that the extreme is in the line. Time without figures is a gap. */
function Line({ series, steps }: { readonly series: Series; readonly steps: Steps }) {
  const points = pointsOf(series.worst, steps);
  const ends: Ends = { time: timeOf(steps), axis: calmAxisOf(series) };
  const last = points.findLast((point) => point !== null);
  return (
    <svg aria-hidden="true" class="week-line" width="100%">
      <svg aria-hidden="true" viewBox="0 0 1000 100" preserveAspectRatio="none" width="100%" height="100%">
        <path class="plot-line" d={linePath(points, ends)} />
      </svg>
      {last && (
        <circle
          r="3"
          cx={percent(placeOf(ends.time, last.at))}
          cy={percent(1 - Math.min(1, Math.max(0, placeOf(ends.axis, last.value))))}
        />
      )}
    </svg>
  );
}

/** The least span of the axis, so that a calm week is a calm line: 2 ms, 10 °C. */
const leastSpans: Partial<Readonly<Record<Series["name"], number>>> = { clock: 0.002, temperature: 10 };

function calmAxisOf(series: Series): Range {
  const { low, high } = axisOf(series);
  const more = Math.max(0, (leastSpans[series.name] ?? 0) - (high - low)) / 2;
  return { low: low - more, high: high + more };
}
