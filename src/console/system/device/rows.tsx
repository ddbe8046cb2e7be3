import type { ComponentChildren } from "preact";

/** One of the actions below each other, with its effect beside its button. */
export function Row({
  title,
  text,
  children,
}: {
  readonly title: string;
  readonly text: ComponentChildren;
  readonly children?: ComponentChildren;
}) {
  return (
    <li class="line between">
      <div>
        <h3>{title}</h3>
        <div class="hint">{text}</div>
      </div>
      {children && <div class="buttons">{children}</div>}
    </li>
  );
}
