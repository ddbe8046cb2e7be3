/** Puts the keyboard, and with it a screen reader, at the head of the page; nothing moves for the eye. */
export function focusContent(): void {
  const head = document.querySelector<HTMLElement>("main h1") ?? document.querySelector("main");
  head?.focus({ preventScroll: true });
}

/**
 * Keeps the field in which one types in sight when the keyboard of a phone comes, and tells the style how much of the
 * window it covers where the browser does not make the window smaller.
 */
export function watchKeyboard(): void {
  const view = visualViewport;
  view?.addEventListener("resize", () => {
    const covered = Math.max(0, Math.round(innerHeight - view.height * view.scale));
    document.documentElement.style.setProperty("--keyboard", `${covered}px`);
    const typing = document.activeElement;
    if (typing?.matches("input, select, textarea")) typing.scrollIntoView({ block: "nearest" });
  });
}

/** For `ref`: where the typing begins when it appears. A dialog, which is shown later, looks for `data-first`. */
export function focusFirst(element: HTMLElement | null): void {
  element?.focus();
}
