import { useId } from "preact/hooks";
import type { FieldProps } from "./field.tsx";

/** A choice of one option, each with its explanation. */
export function RadioField<V extends string>({
  label,
  hint,
  error,
  value,
  onInput,
  options,
}: FieldProps & {
  /** The chosen value; empty: none yet. */
  readonly value: V | "";
  readonly onInput: (value: V) => void;
  readonly options: readonly { readonly value: V; readonly text: string; readonly hint?: string }[];
}) {
  const name = useId();
  return (
    <fieldset class="field radios" aria-describedby={hint || error ? `${name}-more` : undefined}>
      <legend>{label}</legend>
      {(hint || error) && (
        <div id={`${name}-more`} class="hint">
          {hint}
          {error && <div class="error">{error}</div>}
        </div>
      )}
      {options.map((option) => (
        <label key={option.value} class="radio">
          <input
            type="radio"
            name={name}
            checked={option.value === value}
            onChange={() => onInput(option.value)}
          />
          <span>
            <span class="radio-text">{option.text}</span>
            <span class="hint">{option.hint}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
