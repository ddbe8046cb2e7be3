import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { useAction } from "../client/use-action.ts";
import { useWhyAway } from "./connection-state.tsx";
import { ProblemView } from "./problem-view.tsx";

export interface ButtonProps {
  /** `icon`: a shape alone, which needs a `label`. */
  readonly kind?: "primary" | "danger" | "plain" | "quiet" | "icon";
  readonly type?: "button" | "submit";
  readonly isBusy?: boolean;
  readonly isDisabled?: boolean;
  /** Why it cannot be used; said to everybody, and it makes the button one that does nothing. */
  readonly why?: string | null;
  /** Where the text alone does not say to what it belongs. */
  readonly label?: string;
  readonly onClick?: () => void;
  readonly children: ComponentChildren;
}

/** A button named by a verb. One that is busy or has a reason stays in the order of the keyboard. */
export function Button({
  kind = "plain",
  type = "button",
  isBusy = false,
  isDisabled = false,
  why = null,
  label,
  onClick,
  children,
}: ButtonProps) {
  const whyId = useId();
  const whyAway = useWhyAway();
  // What is typed can be sent again once the device is back.
  const reason = why ?? (type === "submit" ? whyAway : null);
  const isInert = isBusy || isDisabled || reason !== null;
  return (
    <>
      <button
        type={type}
        class={`button ${kind === "icon" ? "quiet icon" : kind}`}
        aria-label={label}
        aria-disabled={isInert || undefined}
        aria-busy={isBusy || undefined}
        aria-describedby={reason === null ? undefined : whyId}
        onClick={(event) => {
          if (isInert) event.preventDefault();
          else onClick?.();
        }}
      >
        {children}
      </button>
      {reason !== null && (
        <span id={whyId} class="unseen why">
          {reason}
        </span>
      )}
    </>
  );
}

/** A button whose work the agent does: busy while that runs, and followed by the problem where it fails. */
export function ActionButton({ act, ...rest }: ButtonProps & { readonly act: () => Promise<unknown> }) {
  const { isBusy, error, run } = useAction(act);
  return (
    <>
      <Button {...rest} isBusy={isBusy} onClick={() => void run()} />
      <ProblemView error={error} />
    </>
  );
}
