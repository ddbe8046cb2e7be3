import { useEffect, useState } from "preact/hooks";
import { countdown } from "../../catalogue/formats.ts";
import { t } from "../../catalogue/words.ts";
import { ProblemError } from "../../client/problem.ts";
import { Button, type ButtonProps } from "../button.tsx";

/** Sends a form. An agent that was asked too often says how long to wait: until then it cannot be used. */
export function Submit({
  error,
  kind = "primary",
  isDisabled = false,
  ...rest
}: Pick<ButtonProps, "kind" | "why" | "isBusy" | "isDisabled" | "children"> & { readonly error: unknown }) {
  const left = useSecondsLeft(error);
  return (
    <>
      <Button {...rest} kind={kind} type="submit" isDisabled={isDisabled || left > 0} />
      {/* A timer is not read aloud each second. */}
      {left > 0 && <span role="timer">{t.ui.wait(countdown(left))}</span>}
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
