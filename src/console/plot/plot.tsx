import type { ComponentChildren } from "preact";
import { placeOf } from "../../contract/clock/source-intervals.ts";
import { percent } from "./axis.ts";
import { type Band, bandPath, type Ends, linePath, type Point } from "./path.ts";

interface PlotProps {
  readonly ends: Ends;
  /** The ends of the axis in words. */
  readonly high: string;
  readonly low: string;
  readonly bands?: readonly (Band | null)[];
  readonly line: readonly (Point | null)[];
  /** A lighter line behind the other. */
  readonly worst?: readonly (Point | null)[];
  /** Drawn behind the lines, and before them; places are shares of the whole in per cent. */
  readonly behind?: ComponentChildren;
  readonly children?: ComponentChildren;
}

/** Figures over a time: a line with gaps, in a band and before another line, and zero where the axis has it within. */
export function Plot({ ends, high, low, bands, line, worst, behind, children }: PlotProps) {
  const zero = 1 - placeOf(ends.axis, 0);
  return (
    <svg aria-hidden="true" class="plot" width="100%">
      {behind}
      <svg aria-hidden="true" viewBox="0 0 1000 100" preserveAspectRatio="none" width="100%" height="100%">
        {bands && <path class="plot-band" d={bandPath(bands, ends)} />}
        {worst && <path class="plot-line worst" d={linePath(worst, ends)} />}
        <path class="plot-line" d={linePath(line, ends)} />
      </svg>
      {zero > 0 && zero < 1 && (
        <line class="plot-zero" x1="0" x2="100%" y1={percent(zero)} y2={percent(zero)} />
      )}
      {children}
      <text x="0" y="16">
        {high}
      </text>
      <text x="0" y="100%" dy="-6">
        {low}
      </text>
    </svg>
  );
}
