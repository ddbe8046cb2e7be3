import type { ComponentChildren } from "preact";
import { useIsAway } from "./connection-state.tsx";
import { Shape } from "./shape.tsx";

export type State = "good" | "attention" | "wrong" | "unknown";

/** A state as a shape and a word; colour only besides. Of a device that is away it is not known that anything is good. */
export function Badge({ state, children }: { readonly state: State; readonly children: ComponentChildren }) {
  const known = useIsAway() && state === "good" ? "unknown" : state;
  return (
    <span class={`badge ${known}`}>
      <Shape name={known} />
      <span>{children}</span>
    </span>
  );
}
