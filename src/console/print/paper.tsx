import type { ComponentChildren } from "preact";

/**
 * Printed instead of the page that contains it (styles/pages.css), black on white. `isShown`: the screen shows it too, as it
 * will look.
 */
export function Paper({
  title,
  isShown = false,
  children,
}: {
  readonly title: string;
  readonly isShown?: boolean;
  readonly children: ComponentChildren;
}) {
  return (
    <section class={isShown ? "paper shown" : "paper"} aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}
