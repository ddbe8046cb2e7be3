import { useRef } from "preact/hooks";
import { placeOf } from "../../../contract/clock/source-intervals.ts";
import type { TimeSync } from "../../../contract/types.ts";
import { relativeTime } from "../../catalogue/formats.ts";
import { t } from "../../catalogue/words.ts";
import { Empty } from "../../ui/page.tsx";
import { offsetInWords, placeInWords, stepInWords } from "./clock-words.ts";
import {
  bandOf,
  type Course,
  type CoursePoint,
  courseOf,
  linePath,
  partsOf,
  rangeOfCourse,
} from "./course.ts";
import { type Axis, keepAxis, percent } from "./picture-axis.ts";

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
      <Plot course={course} axis={axis} />
      <div class="clock-times">
        <span>{relativeTime((course.from - course.until) / 1_000)}</span>
        <span>{t.clock.now}</span>
      </div>
    </div>
  );
}

function Plot({ course, axis }: { readonly course: Course; readonly axis: Axis }) {
  const zero = 1 - placeOf(axis, 0);
  const newest = course.points.at(-1);
  const time = { low: course.from, high: course.until };
  const step = course.step && placeOf(time, course.step.at);
  return (
    <svg aria-hidden="true" class="clock-plot" width="100%" height="160">
      <svg aria-hidden="true" viewBox="0 0 1000 100" preserveAspectRatio="none" width="100%" height="100%">
        {partsOf(course).map((part, index) => (
          <Part key={index === 0 ? "before" : "after"} part={part} course={course} axis={axis} />
        ))}
      </svg>
      {zero >= 0 && zero <= 1 && (
        <line class="clock-zero" x1="0" x2="100%" y1={percent(zero)} y2={percent(zero)} />
      )}
      {step !== null && course.step && (
        <>
          <line class="clock-step" x1={percent(step)} x2={percent(step)} y1="0" y2="100%" />
          <text
            class="clock-label strong"
            x={percent(step)}
            y="36"
            dx={step > 0.5 ? -6 : 6}
            text-anchor={step > 0.5 ? "end" : "start"}
          >
            {stepInWords(course.step.seconds)}
          </text>
        </>
      )}
      <text x="0" y="16">
        {placeInWords(axis, axis.high)}
      </text>
      <text x="0" y="100%" dy="-6">
        {placeInWords(axis, axis.low)}
      </text>
      {newest && <Newest point={newest} at={percent(placeOf(time, newest.at))} axis={axis} />}
    </svg>
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
      <line class="clock-line" x1={at} x2={at} y1={y(low)} y2={y(high)} />
      <circle cx={at} cy={y(point.offset)} r="4" />
    </>
  );
}

function Part({
  part,
  course,
  axis,
}: {
  readonly part: readonly CoursePoint[];
  readonly course: Course;
  readonly axis: Axis;
}) {
  if (part.length === 0) return null;
  const upper = linePath(part, course, axis, (point) => bandOf(point).high);
  const lower = linePath([...part].reverse(), course, axis, (point) => bandOf(point).low);
  return (
    <>
      <polygon class="clock-band" points={`${upper} ${lower}`} />
      <polyline class="clock-line" points={linePath(part, course, axis)} />
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
