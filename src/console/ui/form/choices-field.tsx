import { CheckField, type FieldProps } from "./field.tsx";

/** Any number of a few, each explained where it is chosen. */
export function ChoicesField({
  label,
  hint,
  error,
  value,
  onInput,
  options,
}: FieldProps & {
  readonly value: readonly string[];
  readonly onInput: (value: readonly string[]) => void;
  readonly options: readonly { readonly value: string; readonly text: string; readonly hint?: string }[];
}) {
  return (
    <fieldset class="field" aria-invalid={error ? true : undefined}>
      <legend>{label}</legend>
      <div class="hint">{hint}</div>
      {error && <div class="error">{error}</div>}
      {options.map((option) => (
        <CheckField
          key={option.value}
          label={option.text}
          hint={option.hint}
          value={value.includes(option.value)}
          // In the order of the schema, so that a choice taken back leaves nothing to save.
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
