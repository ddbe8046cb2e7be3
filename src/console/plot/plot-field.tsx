import type { ComponentChildren } from "preact";
import { tellHeight } from "../ui/focus.ts";
import { percent } from "./path.ts";

interface PlotFieldProps {
  /** The name of the slider, and the help for it. */
  readonly label: string;
  readonly hint: string;
  /** Says what is at the line, for the eye. */
  readonly head: ComponentChildren;
  /** The same for a screen reader. */
  readonly spoken: string;
  /** The steps that the keys lead through. */
  readonly first?: number;
  readonly last: number;
  readonly stride?: number;
  /** The steps of the whole width, where it goes on behind the last. */
  readonly steps?: number;
  readonly step: number;
  /** The place of the line, as a share of the width. */
  readonly place: number;
  readonly onStep: (step: number) => void;
  readonly onPlace: (share: number) => void;
  /** Takes the step at the line, by a click or a tap. */
  readonly onChoose?: () => void;
  readonly scale?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** Pictures over one time, and a line through all of them that pointers, the arrow keys and screen readers move. */
export function PlotField(props: PlotFieldProps) {
  const { last, scale, steps = last + 1 } = props;
  const move = ({ clientX, currentTarget }: PointerEvent & { readonly currentTarget: Element }): void => {
    const { left, width } = currentTarget.getBoundingClientRect();
    props.onPlace((clientX - left) / width);
  };
  return (
    <>
      <div class="plot-head" ref={tellHeight["--bar-above"]}>
        <p>{props.head}</p>
        <input
          type="range"
          aria-label={props.label}
          aria-valuetext={props.spoken}
          title={props.hint}
          min={props.first ?? 0}
          max={last}
          step={props.stride ?? 1}
          value={props.step}
          style={{ "--half-step": `${50 / steps}%`, width: `calc(${(100 * last) / steps}% + 16px)` }}
          onInput={({ currentTarget }) => props.onStep(Number(currentTarget.value))}
        />
        {scale}
      </div>
      <div
        class="plot-field"
        onPointerDown={move}
        onPointerMove={move}
        onPointerUp={({ button }) => button === 0 && props.onChoose?.()}
      >
        {props.children}
        {scale}
        <div class="plot-cursor" style={{ left: percent(props.place) }} />
      </div>
    </>
  );
}
