import type { ComponentChildren } from "preact";
import { placeOf, type Range } from "../../contract/clock/source-intervals.ts";
import type { State } from "../ui/badge.tsx";
import { Shape } from "../ui/shape.tsx";
import { percent, whole } from "./path.ts";
import { Plot, type PlotProps } from "./plot.tsx";

/** One row of several under one scale: its state and its words, and beneath them an area and a line. */
export function Lane({
  state,
  title,
  range,
  bands,
  line,
  children,
}: Pick<PlotProps, "bands" | "line"> & {
  readonly state?: State | undefined;
  readonly title: string;
  readonly range: Range;
  readonly children: ComponentChildren;
}) {
  return (
    <li class={state}>
      <p>
        {state && <Shape name={state} />}
        <strong>
          <bdi>{title}</bdi>
        </strong>{" "}
        <bdi>{children}</bdi>
      </p>
      <Plot name="lane" ends={{ time: range, axis: whole }} bands={bands} line={line} />
    </li>
  );
}

/** A place on a scale with its label, which is before the place where it would leave the picture behind it. */
export interface ScaleMark {
  readonly at: number;
  readonly text: string;
  /** Added where there is room. */
  readonly more?: string;
  readonly isBefore?: boolean;
}

export function Scale({ range, marks }: { readonly range: Range; readonly marks: readonly ScaleMark[] }) {
  return (
    <svg aria-hidden="true" class="plot scale" width="100%">
      {marks.map(({ at, text, more, isBefore }) => (
        <text key={at} x={percent(placeOf(range, at))} y="14" text-anchor={isBefore ? "end" : "start"}>
          {text}
          <tspan class="scale-more">{more}</tspan>
        </text>
      ))}
    </svg>
  );
}
