import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { t } from "../../catalogue/words.ts";
import { ProblemError } from "../../client/problem.ts";
import { type Action, useAction } from "../../client/use-action.ts";
import { Button, type ButtonProps } from "../button.tsx";
import { type EntryError, entrySentence } from "../by-code.ts";
import { ProblemView } from "../problem-view.tsx";
import type { Edited } from "./field.tsx";
import { Submit } from "./submit.tsx";

/** Values under edit, and the function that changes some of them. */
export type Typed<T> = readonly [typed: T, type: (change: Partial<T>) => void];

export interface FormState<T> extends Action<[]> {
  readonly typed: T;
  type(change: Partial<T>): void;
  /** Value, change and error of the member that is sent under this name; for the error see `errorAt`. */
  field<K extends keyof T & string>(
    name: K,
    codes?: RegExp,
  ): Edited<T[K]> & { readonly error: string | null };
}

/** The state of a form whose fields are named as the members that are sent. `submit` throws what the agent refuses. */
export function useForm<T extends object>(
  initial: T,
  submit: (typed: T) => Promise<unknown>,
  [typed, type]: Typed<T> = useTyped(initial),
): FormState<T> {
  const action = useAction(() => submit(typed));
  return {
    ...action,
    typed,
    type,
    field: (name, codes) => ({
      value: typed[name],
      onInput: (value) => type({ [name]: value } as unknown as Partial<T>),
      error: errorAt(action.error, `/${name}`, codes),
    }),
  };
}

function useTyped<T extends object>(initial: T): Typed<T> {
  const [typed, setTyped] = useState(initial);
  return [typed, (change) => setTyped((before) => ({ ...before, ...change }))];
}

/** A form, sent by a button or Enter. Its error is above its buttons, unless a field says it: that takes the keyboard. */
export function Form({
  form: { error, isBusy, run },
  verb,
  kind = "primary",
  why = null,
  isReady = true,
  isToldTwice = false,
  others,
  onSubmit = () => void run().then((isDone) => isDone && onDone?.()),
  onDone,
  onCancel,
  children,
}: {
  readonly form: Pick<Action<[]>, "error" | "isBusy" | "run">;
  /** The text of the button; without it the form has no button of its own. */
  readonly verb?: string;
  readonly kind?: ButtonProps["kind"];
  /** The reason that it cannot be sent. */
  readonly why?: string | null;
  /** False: nothing is sent, since something is missing or nothing has changed. */
  readonly isReady?: boolean;
  /** The fields say less of an error than the problem does, so both are shown. */
  readonly isToldTwice?: boolean;
  readonly others?: ComponentChildren;
  readonly onSubmit?: () => void;
  /** It was sent, and the agent has accepted it. */
  readonly onDone?: (() => void) | undefined;
  readonly onCancel?: (() => void) | undefined;
  readonly children: ComponentChildren;
}) {
  const element = useRef<HTMLFormElement>(null);
  const [problem, setProblem] = useState<unknown>(null);
  useLayoutEffect(() => {
    const isTold = !isToldTwice && element.current?.querySelector("[aria-invalid=true], .error");
    setProblem(isTold ? null : error);
  }, [error]);
  useEffect(() => {
    if (error) element.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
    element.current?.querySelector(".problem")?.scrollIntoView({ block: "nearest" });
  }, [error]);
  return (
    <form
      ref={element}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady && !why) onSubmit();
      }}
    >
      {children}
      <ProblemView error={problem} isForm />
      {(verb || others) && (
        <div class="buttons">
          {verb && (
            <Submit {...{ error, isBusy, kind, why }} isDisabled={!isReady}>
              {verb}
            </Submit>
          )}
          {others}
          {onCancel && <Button onClick={onCancel}>{t.ui.cancel}</Button>}
        </div>
      )}
    </form>
  );
}

/** The error of one member, by its JSON pointer, else all of it where its code is one of `codes`; null: nothing. */
export function errorAt(error: unknown, pointer: string, codes?: RegExp): string | null {
  const one = entryAt(error, pointer);
  if (one) return entrySentence(one);
  if (!(error instanceof ProblemError) || !codes?.test(error.problem.code)) return null;
  const { code, detail } = error.problem;
  return entrySentence({ pointer, code, detail });
}

/** The same error with its code; undefined: none. */
export function entryAt(error: unknown, pointer: string): EntryError | undefined {
  if (!(error instanceof ProblemError)) return undefined;
  return error.problem.errors?.find((one) => one.pointer === pointer);
}
