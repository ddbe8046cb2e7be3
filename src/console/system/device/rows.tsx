import type { ComponentChildren } from "preact";

/** Actions one below the other, each with its effect beside its button. */
export function Rows({ children }: { readonly children: ComponentChildren }) {
  return <ul class="machine-rows">{children}</ul>;
}

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
    <li class="line">
      <div>
        <h3>{title}</h3>
        <div class="hint">{text}</div>
      </div>
      {children && <div class="buttons">{children}</div>}
    </li>
  );
}
