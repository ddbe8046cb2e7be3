import type { ComponentChildren } from "preact";
import { Shape } from "./shape.tsx";

export interface Step {
  readonly key: string;
  readonly text: ComponentChildren;
  readonly state: "done" | "now" | "ahead";
}

const shapes = { done: "good", now: "now", ahead: "ahead" } as const;

/** A long action as a line of steps; a screen reader also hears which one is under way. */
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
