import { useId } from "preact/hooks";
import { CheckField, type Edited, type FieldProps } from "./field.tsx";

/** A choice of any number of options, each with its explanation. */
export function ChoicesField<V extends string>({
  label,
  hint,
  error,
  value,
  onInput,
  options,
}: FieldProps &
  Edited<readonly V[]> & {
    readonly options: readonly { readonly value: V; readonly text: string; readonly hint?: string }[];
  }) {
  const id = useId();
  return (
    <fieldset
      class="field"
      aria-invalid={error ? true : undefined}
      aria-describedby={error ? `${id}-error` : undefined}
    >
      <legend>{label}</legend>
      {hint && <div class="hint">{hint}</div>}
      {error && (
        <div id={`${id}-error`} class="error">
          {error}
        </div>
      )}
      {options.map((option) => (
        <CheckField
          key={option.value}
          label={option.text}
          hint={option.hint}
          value={value.includes(option.value)}
          // The order is that of the options, so that a choice taken back leaves nothing to save.
          onInput={(isChosen) =>
            onInput(
              options
                .map((one) => one.value)
                .filter((one) => (one === option.value ? isChosen : value.includes(one))),
            )
          }
        />
      ))}
    </fieldset>
  );
}
