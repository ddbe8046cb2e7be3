/** Puts the keyboard, and with it a screen reader, at the head of the page; nothing moves for the eye. */
export function focusContent(): void {
  const head = document.querySelector<HTMLElement>("main h1") ?? document.querySelector("main");
  head?.focus({ preventScroll: true });
}

/** For `ref`: where the typing begins when it appears. A dialog, which is shown later, looks for `data-first`. */
export function focusFirst(element: HTMLElement | null): void {
  element?.focus();
}
