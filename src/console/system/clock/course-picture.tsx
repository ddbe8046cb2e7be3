import { useRef } from "preact/hooks";
import { placeOf } from "../../../contract/clock/source-intervals.ts";
import type { TimeSync } from "../../../contract/types.ts";
import { relativeTime } from "../../catalogue/formats.ts";
import { t } from "../../catalogue/words.ts";
import { type Axis, keepAxis, percent } from "../../plot/axis.ts";
import { Plot } from "../../plot/plot.tsx";
import { placeInWords } from "../../plot/seconds.ts";
import { Empty } from "../../ui/page.tsx";
import { offsetInWords, stepInWords } from "./clock-words.ts";
import { bandOf, type Course, type CoursePoint, courseOf, partsOf, rangeOfCourse } from "./course.ts";

/** The offset over the last hours as a line in its uncertainty, with the last step. */
export function CoursePicture({ status }: { readonly status: TimeSync }) {
  const kept = useRef<Axis | null>(null);
  const course = courseOf(status);
  const needed = rangeOfCourse(course);
  if (needed === null) return <Empty>{t.clock.noCourse}</Empty>;
  const axis = keepAxis(kept.current, needed);
  kept.current = axis;
  return (
    <div class="clock-course" role="img" aria-label={courseInWords(course)}>
      <CoursePlot course={course} axis={axis} />
      <div class="clock-times">
        <span>{relativeTime((course.from - course.until) / 1_000)}</span>
        <span>{t.clock.now}</span>
      </div>
    </div>
  );
}

function CoursePlot({ course, axis }: { readonly course: Course; readonly axis: Axis }) {
  const newest = course.points.at(-1);
  const time = { low: course.from, high: course.until };
  const step = course.step && placeOf(time, course.step.at);
  // Between the two parts no clock has run.
  const points = partsOf(course).flatMap((part) => [...part, null]);
  return (
    <Plot
      ends={{ time, axis }}
      high={placeInWords(axis, axis.high)}
      low={placeInWords(axis, axis.low)}
      bands={points.map((point) => point && { at: point.at, ...bandOf(point) })}
      line={points.map((point) => point && { at: point.at, value: point.offset })}
    >
      {step !== null && course.step && (
        <>
          <line class="plot-event" x1={percent(step)} x2={percent(step)} y1="0" y2="100%" />
          <text
            class="strong"
            x={percent(step)}
            y="36"
            dx={step > 0.5 ? -6 : 6}
            text-anchor={step > 0.5 ? "end" : "start"}
          >
            {stepInWords(course.step.seconds)}
          </text>
        </>
      )}
      {newest && <Newest point={newest} at={percent(placeOf(time, newest.at))} axis={axis} />}
    </Plot>
  );
}

/** Marks the last point with its uncertainty, since the band has no width at a single point. */
function Newest({
  point,
  at,
  axis,
}: {
  readonly point: CoursePoint;
  readonly at: string;
  readonly axis: Axis;
}) {
  const y = (seconds: number): string => percent(Math.min(1, Math.max(0, 1 - placeOf(axis, seconds))));
  const { low, high } = bandOf(point);
  return (
    <>
      <line class="plot-line" x1={at} x2={at} y1={y(low)} y2={y(high)} />
      <circle cx={at} cy={y(point.offset)} r="4" />
    </>
  );
}

function courseInWords({ points, hours, step }: Course): string {
  const offsets = points.map(({ offset }) => offset);
  const words = t.clock.courseInWords(
    hours,
    offsetInWords(Math.min(...offsets)),
    offsetInWords(Math.max(...offsets)),
    offsetInWords(offsets.at(-1) ?? 0),
  );
  return step === null ? words : `${words} ${stepInWords(step.seconds)}.`;
}
