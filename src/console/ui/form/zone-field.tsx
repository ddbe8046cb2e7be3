import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import { t } from "../../catalogue/words.ts";
import { type Edited, Field, type FieldProps } from "./field.tsx";
import { foundZones, type ZoneOption, zoneMeant, zoneOfBrowser, zoneOptions } from "./zones.ts";

interface ZoneProps extends Edited<string> {
  /** The device's zone. */
  readonly present: string;
}

/** A time zone, found by a part of its name (ARIA APG: editable combobox). Any other text stays for the agent. */
export function ZoneField({ value, present, onInput, ...about }: FieldProps & ZoneProps) {
  const { isOpen, typed, text, found, at, ...search } = useZoneSearch({ value, present, onInput });
  const listId = useId();
  return (
    <Field
      {...about}
      control={(ids) => (
        <div class="combobox">
          <input
            {...ids}
            role="combobox"
            aria-expanded={isOpen}
            aria-controls={isOpen ? listId : undefined}
            aria-autocomplete="list"
            aria-activedescendant={isOpen && at >= 0 ? `${listId}-${at}` : undefined}
            autocomplete="off"
            spellcheck={false}
            disabled={about.isDisabled}
            value={text}
            onInput={({ currentTarget }) => search.type(currentTarget.value)}
            onClick={({ currentTarget }) => {
              if (!isOpen) currentTarget.select();
              search.open();
            }}
            onKeyDown={search.onKey}
            onBlur={search.close}
          />
          <p class="unseen" role="status">
            {isOpen && typed !== null && t.ui.matches(found.length)}
          </p>
          {isOpen && (
            <ZoneList id={listId} label={about.label} options={found} at={at} onChoose={search.choose} />
          )}
        </div>
      )}
    />
  );
}

/** Finds the zones to offer, and the one that Enter chooses. */
function useZoneSearch({ value, present, onInput }: ZoneProps) {
  const all = useMemo(
    () => zoneOptions(present, zoneOfBrowser(), Intl.supportedValuesOf("timeZone")),
    [present],
  );
  const [isOpen, setIsOpen] = useState(false);
  const [typed, setTyped] = useState<string | null>(null);
  const [active, setActive] = useState(0);
  const found = typed === null ? all : foundZones(all, typed);
  const at = Math.min(active, found.length - 1);
  const chosen = all.findIndex((one) => one.value === value);
  const open = (): void => {
    if (isOpen) return;
    setIsOpen(true);
    setActive(typed === null ? Math.max(0, chosen) : 0);
  };
  const close = (): void => {
    setIsOpen(false);
    setTyped(null);
  };
  const choose = (zone: string): void => {
    onInput(zone);
    close();
  };
  const type = (text: string): void => {
    setTyped(text);
    setActive(0);
    setIsOpen(true);
    onInput(zoneMeant(all, text));
  };
  const onKey = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && !isOpen) open();
    else if (step !== undefined) setActive((at + step + found.length) % Math.max(1, found.length));
    else if (!isOpen) return;
    else if (event.key === "Escape") setIsOpen(false);
    else if (event.key === "Enter" && !event.isComposing && found[at] !== undefined) choose(found[at].value);
    else return;
    event.preventDefault();
  };
  return {
    isOpen,
    typed,
    text: typed ?? all[chosen]?.text ?? value,
    found,
    at,
    open,
    close,
    choose,
    type,
    onKey,
  };
}

function ZoneList({
  id,
  label,
  options,
  at,
  onChoose,
}: {
  readonly id: string;
  readonly label: string;
  readonly options: readonly ZoneOption[];
  readonly at: number;
  readonly onChoose: (zone: string) => void;
}) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => list.current?.scrollIntoView({ block: "nearest" }), [options.length]);
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [at, options.length]);
  return (
    <div
      ref={list}
      id={id}
      class="menu-items"
      role="listbox"
      tabIndex={-1}
      aria-label={label}
      // The keyboard stays in the field.
      onMouseDown={(event) => event.preventDefault()}
    >
      {options.map(({ value, text }, index) => (
        <button
          key={value}
          id={`${id}-${index}`}
          type="button"
          role="option"
          tabIndex={-1}
          aria-selected={index === at}
          onClick={() => onChoose(value)}
        >
          {text}
        </button>
      ))}
      {options.length === 0 && <p class="hint">{t.ui.matches(0)}</p>}
    </div>
  );
}
