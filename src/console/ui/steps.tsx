import type { ComponentChildren } from "preact";
import { Shape } from "./shape.tsx";

export interface Step {
  readonly key: string;
  readonly text: ComponentChildren;
  readonly state: "done" | "now" | "ahead" | "failed";
}

const shapes = { done: "good", now: "now", ahead: "ahead", failed: "wrong" } as const;

/** Something long as a line of steps; which of them is under way is said as well as shown. */
export function Steps({ label, steps }: { readonly label: string; readonly steps: readonly Step[] }) {
  return (
    <ol class="steps" aria-label={label}>
      {steps.map(({ key, text, state }) => (
        <li key={key} class={state} aria-current={state === "now" ? "step" : undefined}>
          <Shape name={shapes[state]} />
          <span>{text}</span>
        </li>
      ))}
    </ol>
  );
}

/** How far something is, where that is known. */
export function Progress({
  label,
  value,
  of,
}: {
  readonly label: string;
  readonly value: number;
  readonly of: number;
}) {
  return <progress aria-label={label} value={value} max={of} />;
}
