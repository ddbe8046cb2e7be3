import type { ComponentChildren } from "preact";
import { Shape } from "./shape.tsx";

export type State = "good" | "attention" | "wrong" | "unknown";

/** A state as a shape and a word; colour only besides. */
export function Badge({ state, children }: { readonly state: State; readonly children: ComponentChildren }) {
  return (
    <span class={`badge ${state}`}>
      <Shape name={state} />
      <span>{children}</span>
    </span>
  );
}
