import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { countdown } from "../../catalogue/formats.ts";
import { t } from "../../catalogue/words.ts";
import { ProblemError } from "../../client/problem.ts";
import type { Action } from "../../client/use-action.ts";
import { Button, type ButtonProps } from "../button.tsx";

/** Sends a form; where it was refused for being tried too often, not before that is over, with the time left. */
export function Submit({
  action: { error, isBusy },
  kind = "primary",
  children,
}: {
  readonly action: Pick<Action<[]>, "error" | "isBusy">;
  readonly kind?: ButtonProps["kind"];
  readonly children: ComponentChildren;
}) {
  const left = useSecondsLeft(error);
  return (
    <>
      <Button kind={kind} type="submit" isBusy={isBusy} isDisabled={left > 0}>
        {children}
      </Button>
      {/* Not read aloud each second. */}
      <span role="timer">{left > 0 && t.ui.wait(countdown(left))}</span>
    </>
  );
}

function useSecondsLeft(error: unknown): number {
  const [left, setLeft] = useState(0);
  useEffect(() => {
    const isTooOften = error instanceof ProblemError && error.problem.status === 429;
    const end = performance.now() + (isTooOften ? (error.problem.retry_after ?? 0) : 0) * 1_000;
    const look = () => {
      const seconds = Math.max(0, Math.ceil((end - performance.now()) / 1_000));
      setLeft(seconds);
      if (seconds === 0) clearInterval(timer);
    };
    const timer = setInterval(look, 250);
    look();
    return () => clearInterval(timer);
  }, [error]);
  return left;
}
