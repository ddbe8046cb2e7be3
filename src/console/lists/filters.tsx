import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { t } from "../catalogue/words.ts";
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

/** A time as `datetime-local` wants it: the browser's own, without a zone; empty where there is none. */
export function localTime(text: string): string {
  const at = new Date(text);
  if (text === "" || Number.isNaN(at.getTime())) return "";
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
