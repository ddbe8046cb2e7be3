import { placeOf } from "../../contract/clock/source-intervals.ts";
import { type Band, bandPath, type Ends, linePath, type Point } from "./path.ts";

export interface PlotProps {
  readonly ends: Ends;
  readonly bands?: readonly (Band | null)[] | undefined;
  /** Areas before the others, in the colour of what needs attention. */
  readonly marked?: readonly (Band | null)[];
  readonly line?: readonly (Point | null)[] | undefined;
  /** A line behind the other. */
  readonly worst?: readonly (Point | null)[];
  /** The ends of the axis in words. */
  readonly high?: string;
  readonly low?: string;
  readonly name?: string;
}

/** Figures over a time: a line with gaps, in a band and before another line, and zero where a named axis has it within. */
export function Plot({ ends, bands = [], marked = [], line = [], worst = [], high, low, name }: PlotProps) {
  const zero = placeOf(ends.axis, 0);
  const ofZero =
    high && zero > 0 && zero < 1 ? [ends.time.low, ends.time.high].map((at) => ({ at, value: 0 })) : [];
  return (
    <svg aria-hidden="true" class={`plot ${name ?? ""}`} width="100%">
      <svg aria-hidden="true" viewBox="0 0 1000 100" preserveAspectRatio="none" width="100%" height="100%">
        <path class="plot-band" d={bandPath(bands, ends)} />
        <path class="plot-band marked" d={bandPath(marked, ends)} />
        <path class="plot-zero" d={linePath(ofZero, ends)} />
        <path class="plot-line worst" d={linePath(worst, ends)} />
        <path class="plot-line" d={linePath(line, ends)} />
      </svg>
      <text y="16">{high}</text>
      <text y="100%" dy="-6">
        {low}
      </text>
    </svg>
  );
}
