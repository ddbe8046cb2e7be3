import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { t } from "../catalogue/words.ts";
import { useAction } from "../client/use-action.ts";
import { useIsAway } from "./connection-state.tsx";
import { ProblemView } from "./problem-view.tsx";

export interface ButtonProps {
  /** `icon`: only a shape, which needs a `label`. */
  readonly kind?: "primary" | "danger" | "plain" | "quiet" | "icon";
  readonly type?: "button" | "submit";
  /** The id of the form that it sends, where that is not around it. */
  readonly form?: string;
  readonly isBusy?: boolean;
  readonly isDisabled?: boolean;
  /** The reason that it cannot be used, which everybody is given; the button then does nothing. */
  readonly why?: string | null;
  /** Names the button where its text does not say what it acts on. */
  readonly label?: string;
  readonly onClick?: () => void;
  readonly children: ComponentChildren;
}

/** A button named by a verb. The keyboard reaches it also while it is busy or cannot be used. */
export function Button({
  kind = "plain",
  type = "button",
  form,
  isBusy = false,
  isDisabled = false,
  why = null,
  label,
  onClick,
  children,
}: ButtonProps) {
  const whyId = useId();
  const whyAway = useIsAway() ? t.problem.faults.silent.title : null;
  // The person can send the entries again once the device is back.
  const reason = why ?? (type === "submit" ? whyAway : null);
  const isInert = isBusy || isDisabled || reason !== null;
  return (
    <>
      <button
        type={type}
        form={form}
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

/** A button whose work the agent does. It is busy while that runs; a failure is shown behind it. */
export function ActionButton({ act, ...rest }: ButtonProps & { readonly act: () => Promise<unknown> }) {
  const { isBusy, error, run } = useAction(act);
  return (
    <>
      <Button {...rest} isBusy={isBusy} onClick={() => void run()} />
      <ProblemView error={error} />
    </>
  );
}
