import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { focusFirst } from "../focus.ts";

export interface FieldProps {
  readonly label: string;
  /** Form, unit and default, to be known before one types. */
  readonly hint?: ComponentChildren;
  readonly error?: string | null | undefined;
  readonly isDisabled?: boolean;
}

/** A value under edit, and the function that takes another one. */
export interface Edited<T> {
  readonly value: T;
  readonly onInput: (value: T) => void;
}

interface Ids {
  readonly id: string;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": boolean | undefined;
}

/** A label, a control, its hint and its error; `control` gets the attributes that join them. */
export function Field({
  label,
  hint,
  error,
  control,
}: FieldProps & { readonly control: (ids: Ids) => ComponentChildren }) {
  const id = useId();
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ");
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {control({
        id,
        "aria-describedby": described === "" ? undefined : described,
        "aria-invalid": error ? true : undefined,
      })}
      {hint && (
        <div id={`${id}-hint`} class="hint">
          {hint}
        </div>
      )}
      {error && (
        <div id={`${id}-error`} class="error">
          {error}
        </div>
      )}
    </div>
  );
}

export interface TextFieldProps extends FieldProps, Edited<string> {
  readonly name?: string;
  readonly autocomplete?: "name" | "username" | "current-password" | "new-password" | "one-time-code" | "off";
  readonly inputMode?: "text" | "numeric";
  readonly spellcheck?: boolean;
  readonly maxLength?: number;
  readonly type?: "text" | "search" | "datetime-local" | "time" | "password";
  /** A button at its end. */
  readonly button?: ComponentChildren;
  /** True: the field takes the keyboard when it appears. */
  readonly isFirst?: boolean;
  /** Lines that the field shows; 1 unless given. */
  readonly lines?: number;
}

export function TextField({
  label,
  hint,
  error,
  isDisabled,
  value,
  onInput,
  type = "text",
  button,
  isFirst,
  lines = 1,
  ...rest
}: TextFieldProps) {
  const attributes = {
    autocomplete: "off",
    ...rest,
    dir: "auto",
    value,
    disabled: isDisabled,
    // The keyboard at once, or when its dialog is shown.
    ...(isFirst && { "data-first": "", ref: focusFirst }),
    autocapitalize: rest.spellcheck === false ? "none" : undefined,
    onInput: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
      onInput(currentTarget.value),
  } as const;
  const input = (ids: Ids) =>
    lines === 1 ? (
      // Preact types the attributes of an input by its type, which does not matter here.
      <input {...attributes} {...ids} {...({ type } as { type: "text" })} />
    ) : (
      <textarea {...attributes} {...ids} rows={lines} />
    );
  return (
    <Field
      label={label}
      hint={hint}
      error={error}
      control={(ids) =>
        button ? (
          <div class="with-button">
            {input(ids)}
            {button}
          </div>
        ) : (
          input(ids)
        )
      }
    />
  );
}

export function SelectField<V extends string>({
  isDisabled,
  value,
  onInput,
  options,
  ...about
}: FieldProps & Edited<V> & { readonly options: readonly { readonly value: V; readonly text: string }[] }) {
  return (
    <Field
      {...about}
      control={(ids) => (
        <select
          {...ids}
          value={value}
          disabled={isDisabled}
          onChange={({ currentTarget }) => onInput(currentTarget.value as V)}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value} selected={option.value === value}>
              {option.text}
            </option>
          ))}
        </select>
      )}
    />
  );
}

export function CheckField({ label, hint, error, isDisabled, value, onInput }: FieldProps & Edited<boolean>) {
  const id = useId();
  return (
    <div class="field check">
      <input
        id={id}
        type="checkbox"
        checked={value}
        disabled={isDisabled}
        aria-invalid={error ? true : undefined}
        aria-describedby={hint || error ? `${id}-more` : undefined}
        onChange={({ currentTarget }) => onInput(currentTarget.checked)}
      />
      <label for={id}>{label}</label>
      {(hint || error) && (
        <div id={`${id}-more`} class={error ? "error" : "hint"}>
          {error || hint}
        </div>
      )}
    </div>
  );
}
