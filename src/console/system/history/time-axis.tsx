import { placeOf, type Range } from "../../../contract/clock/source-intervals.ts";
import { percent } from "../../plot/axis.ts";
import { marksOf } from "./time-marks.ts";

/** Share of the width beyond which a label would leave it. */
const lastLabel = 0.93;

/** The labels of the one axis of time. */
export function Axis({ time }: { readonly time: Range }) {
  return (
    <svg aria-hidden="true" class="history-axis" width="100%" height="20">
      {marksOf(time)
        .map((mark) => ({ ...mark, share: placeOf(time, mark.at) }))
        .filter(({ share }) => share < lastLabel)
        .map(({ at, text, more, share }) => (
          <text key={at} x={percent(share)} y="14">
            {text}
            <tspan class="history-more">{more}</tspan>
          </text>
        ))}
    </svg>
  );
}

export interface Marked {
  readonly time: Range;
  /** Times without readings. */
  readonly gaps: readonly Range[];
  /** Times at which something began to need a person. */
  readonly begins: readonly number[];
}

/** The marks behind every picture: days or hours, gaps, and the times at which a fault began. */
export function Marks({ time, gaps, begins }: Marked) {
  return (
    <>
      {gaps.map(({ low, high }) => (
        <rect
          key={low}
          class="history-gap"
          x={percent(placeOf(time, low))}
          width={percent((high - low) / (time.high - time.low))}
          height="100%"
        />
      ))}
      {marksOf(time).map(({ at }) => (
        <Upright key={at} at={placeOf(time, at)} name="history-mark" />
      ))}
      {begins
        .filter((at) => at >= time.low)
        .map((at) => (
          <Upright key={at} at={placeOf(time, at)} name="plot-event" />
        ))}
    </>
  );
}

/** A line from the top to the bottom of a picture, at a share of its width. */
export function Upright({ at, name }: { readonly at: number; readonly name: string }) {
  return <line class={name} x1={percent(at)} x2={percent(at)} y1="0" y2="100%" />;
}
