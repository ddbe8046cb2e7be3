import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { t } from "../catalogue/words.ts";
import { SelectField, TextField } from "../ui/form/field.tsx";
import { errorAt } from "../ui/form/form.tsx";
import { Shape } from "../ui/shape.tsx";

/** The filters of a list; on a phone they are folded behind a button that says how many are in force. */
export function Filters({
  inForce,
  children,
}: {
  readonly inForce: number;
  readonly children: ComponentChildren;
}) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <search class={isOpen ? "filters open" : "filters"}>
      <button
        type="button"
        class="button filters-fold"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
      >
        {inForce === 0 ? t.lists.filters : t.lists.filtersInForce(inForce)}
        <Shape name="open" />
      </button>
      <div class="filters-fields">{children}</div>
    </search>
  );
}

/** Filters of one kind, of which one or none is in force; those that match nothing are left out. */
export function Chips({
  label,
  value,
  options,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  readonly options: readonly { readonly value: string; readonly text: string; readonly count: number }[];
  readonly onChange: (value: string) => void;
}) {
  const offered = options.filter((option) => option.count > 0 || option.value === value);
  if (offered.length === 0) return null;
  return (
    <fieldset class="chips line">
      <legend class="unseen">{label}</legend>
      {offered.map((option) => (
        <button
          key={option.value}
          type="button"
          class="chip"
          aria-pressed={option.value === value}
          onClick={() => onChange(option.value === value ? "" : option.value)}
        >
          {option.text} <span class="chip-count hint">{option.count}</span>
        </button>
      ))}
    </fieldset>
  );
}

type Times = Partial<Record<"since" | "until", string>>;

/** Milliseconds back from now where times begin that are to be chosen. */
const usualSpan = 86_400_000;

/** Since when: so long ago, or from a time on, and to another where `until` is given. */
export function TimeFields({
  since = "",
  until,
  error,
  reaches = () => true,
  onInput,
}: Times & {
  readonly error: unknown;
  /** False of a time before all that is listed: it is not offered. */
  readonly reaches?: (since: string) => boolean;
  readonly onInput: (times: Times, isTyped?: boolean) => void;
}) {
  const isSpan = since.includes("T") || Boolean(until);
  const timeField = (name: keyof Times, value = "") => (
    <TextField
      label={t.lists.times[name]}
      type="datetime-local"
      value={localTime(value)}
      error={errorAt(error, `/${name}`)}
      onInput={(text) => {
        const at = new Date(text);
        if (text === "" || !Number.isNaN(at.getTime())) onInput({ [name]: text && at.toISOString() }, true);
      }}
    />
  );
  return (
    <>
      <SelectField
        label={t.lists.since}
        value={isSpan ? "T" : since}
        onInput={(value) =>
          onInput({
            since: value === "T" ? new Date(Date.now() - usualSpan).toISOString() : value,
            until: "",
          })
        }
        options={Object.entries(t.lists.sinces)
          .filter(([value]) => value === since || reaches(value))
          .map(([value, text]) => ({ value, text }))}
      />
      {isSpan && timeField("since", since)}
      {isSpan && until !== undefined && timeField("until", until)}
    </>
  );
}

/** A time as `datetime-local` wants it: the browser's own, without a zone; empty where there is none. */
function localTime(text: string): string {
  const at = new Date(text);
  if (text === "" || Number.isNaN(at.getTime())) return "";
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
