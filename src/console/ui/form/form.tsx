import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { ProblemError } from "../../client/problem.ts";
import { type EntryError, entrySentence } from "../by-code.ts";
import { ProblemView } from "../problem-view.tsx";

/** A form that is sent by a button or by Enter; its error stands above its buttons. */
export function Form({
  onSubmit,
  error,
  isBrief = false,
  footer,
  children,
}: {
  readonly onSubmit: () => void;
  readonly error?: unknown;
  /** All of the error stands at the fields, and is not told again. */
  readonly isBrief?: boolean;
  readonly footer: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (error) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
    form.current?.querySelector(".problem")?.scrollIntoView({ block: "nearest" });
  }, [error]);
  return (
    <form
      ref={form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
      {!isBrief && <ProblemView error={error} isForm />}
      {footer && <div class="buttons">{footer}</div>}
    </form>
  );
}

/**
 * The error of one member that was sent, by its JSON pointer, else with all of it where its code is one of `codes`;
 * null: nothing.
 */
export function errorAt(error: unknown, pointer: string, codes?: RegExp): string | null {
  const one = entryAt(error, pointer);
  if (one) return entrySentence(one);
  if (!(error instanceof ProblemError) || !codes?.test(error.problem.code)) return null;
  const { code, detail } = error.problem;
  return entrySentence({ pointer, code, detail });
}

/** The same with its code; undefined: nothing. */
export function entryAt(error: unknown, pointer: string): EntryError | undefined {
  if (!(error instanceof ProblemError)) return undefined;
  return error.problem.errors?.find((one) => one.pointer === pointer);
}
