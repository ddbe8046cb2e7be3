import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { t } from "../../catalogue/words.ts";
import { Button } from "../button.tsx";
import { focused } from "../focus.ts";
import { Shape } from "../shape.tsx";
import { Toasts } from "./toasts.tsx";

/** A question or a form, which keeps the keyboard. `sheet`: at the side. Without `onClose` it can only be answered. */
export function Dialog({
  title,
  shape = "centre",
  onClose,
  children,
}: {
  readonly title: string;
  readonly shape?: "centre" | "sheet";
  readonly onClose?: (() => void) | undefined;
  readonly children: ComponentChildren;
}) {
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const dialog = element.current;
    if (dialog === null) return;
    const before = focused();
    dialog.showModal();
    focusWithin(dialog);
    return () => {
      // This comes after the drawing: whatever closed the dialog may have put the keyboard into a field by then.
      const present = document.activeElement as HTMLElement | null;
      const isTaken = present !== document.body && !dialog.contains(present);
      dialog.close();
      (isTaken ? present : before)?.focus();
    };
  }, []);
  useEffect(() => {
    // The element with the keyboard is gone if the dialog has become another question.
    if (element.current && !element.current.contains(document.activeElement)) focusWithin(element.current);
  }, [title]);
  return (
    <dialog
      ref={element}
      class={`dialog ${shape}`}
      aria-labelledby={titleId}
      onCancel={(event) => {
        // A file chooser within it says the same when it is left.
        if (event.target !== event.currentTarget || !event.cancelable) return;
        event.preventDefault();
        onClose?.();
      }}
      onClose={({ currentTarget }) => {
        // The browser itself closes it where Escape comes twice with nothing between.
        if (!currentTarget.isConnected || currentTarget.open) return;
        // Before it is asked whether it may close: that question has to be above it.
        currentTarget.showModal();
        focusWithin(currentTarget);
        onClose?.();
      }}
    >
      <header>
        <h2 id={titleId} tabIndex={-1} dir="auto">
          {title}
        </h2>
        {onClose && (
          <Button kind="icon" label={t.ui.close} onClick={onClose}>
            <Shape name="close" />
          </Button>
        )}
      </header>
      <div class="dialog-body">{children}</div>
      <Toasts />
    </dialog>
  );
}

/** Focuses the first field, or the title, from which a screen reader goes on. */
function focusWithin(dialog: HTMLDialogElement): void {
  (dialog.querySelector<HTMLElement>("[data-first]") ?? dialog.querySelector("h2"))?.focus();
}
