import type { ComponentChildren } from "preact";
import { useIsAway } from "./connection-state.tsx";
import { Shape } from "./shape.tsx";

export type State = "good" | "attention" | "wrong" | "unknown";

/** A state as a shape and a word; colour only adds to them. While the device is away, nothing is shown as good. */
export function Badge({ state, children }: { readonly state: State; readonly children: ComponentChildren }) {
  const known = useIsAway() && state === "good" ? "unknown" : state;
  return (
    <span class={`badge ${known}`}>
      <Shape name={known} />
      <span>{children}</span>
    </span>
  );
}
