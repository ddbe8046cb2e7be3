import { useEffect, useRef } from "preact/hooks";

/** Puts the keyboard, and with it a screen reader, at the head of the page; nothing moves for the eye. */
export function focusContent(): void {
  const head = document.querySelector<HTMLElement>("main h1") ?? document.querySelector("main");
  head?.focus({ preventScroll: true });
}

/** Moves the keyboard to the head of a step that replaces another; undefined: none is shown yet. */
export function useHead(step: string | undefined): void {
  const before = useRef(step);
  useEffect(() => {
    if (before.current !== undefined && before.current !== step) {
      document.querySelector<HTMLElement>(".setup-step h2")?.focus();
      scrollTo(0, 0);
    }
    before.current = step;
  }, [step]);
}

/** The button that was clicked last, to which Safari does not give the keyboard. */
let pressed: HTMLElement | null = null;

/** Puts the keyboard at the head of the page when what had it is removed: the browser leaves it nowhere. */
export function watchRemovedFocus(): void {
  let last: EventTarget | null = null;
  document.addEventListener("focusin", ({ target }) => {
    last = target;
  });
  const press = ({ target }: Event): void => {
    pressed = (target as Element).closest("button");
  };
  document.addEventListener("click", press, true);
  const isRemoved = (): boolean => last instanceof Node && !last.isConnected;
  // Not for another one that is removed meanwhile: a dialog that is just being closed gives the keyboard back first.
  const giveBack = (removed: EventTarget | null): void => {
    if (last === removed && isRemoved() && document.activeElement === document.body) focusContent();
  };
  // Waits for the drawing: the element that replaces it may take the keyboard by its own effect.
  const observer = new MutationObserver(() => {
    const removed = last;
    if (isRemoved()) requestAnimationFrame(() => setTimeout(giveBack, 0, removed));
  });
  observer.observe(document.body, { childList: true, subtree: true });
}

/** Keeps the field in sight when a phone's keyboard comes, and tells the style how much of the window that covers. */
export function watchKeyboard(): void {
  const view = visualViewport;
  view?.addEventListener("resize", () => {
    const covered = Math.max(0, Math.round(innerHeight - view.height * view.scale));
    document.documentElement.style.setProperty("--keyboard", `${covered}px`);
    const typing = document.activeElement;
    if (typing?.matches("input, select, textarea")) typing.scrollIntoView({ block: "nearest" });
  });
}

/** The element that has the keyboard, or the button within it that a person has just pressed. */
export function focused(): HTMLElement | null {
  const { activeElement } = document;
  return activeElement?.contains(pressed) ? pressed : (activeElement as HTMLElement | null);
}

/** For `ref`: focuses an element when it appears. A dialog is shown later, and looks for `data-first`. */
export function focusFirst(element: HTMLElement | null): void {
  element?.focus();
}

/** A bar that stays over the page: at its head, or at its foot. */
type Bar = "--bar-above" | "--bar-below";

const watched = new Map<Bar, ResizeObserver>();

/** For `ref`: tells the style a lasting bar's height, so that focus is scrolled clear of it (WCAG 2.2, 2.4.11). */
export const tellHeight: Readonly<Record<Bar, (element: HTMLElement | null) => void>> = {
  "--bar-above": (element) => watch("--bar-above", element),
  "--bar-below": (element) => watch("--bar-below", element),
};

function watch(bar: Bar, element: HTMLElement | null): void {
  const { style } = document.documentElement;
  watched.get(bar)?.disconnect();
  style.removeProperty(bar);
  if (element === null) return;
  const observer = new ResizeObserver(() => style.setProperty(bar, `${element.offsetHeight}px`));
  observer.observe(element);
  watched.set(bar, observer);
}
