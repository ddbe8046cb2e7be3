import type { ComponentChildren } from "preact";

/**
 * What is printed instead of the page that it stands in (styles/pages.css), black on white. `isShown`: on the screen too, as
 * it will look.
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
