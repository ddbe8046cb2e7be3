import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import { t } from "../../catalogue/words.ts";
import { focusFirst } from "../focus.ts";
import { type Edited, Field, type FieldProps } from "./field.tsx";
import { foundZones, zoneMeant, zoneOfBrowser, zoneOptions } from "./zones.ts";

interface ZoneProps extends Edited<string> {
  /** The device's zone. */
  readonly present: string;
  readonly isFirst?: boolean;
}

/** A time zone, found by a part of its name (ARIA APG: editable combobox). Any other text stays for the agent. */
export function ZoneField({ value, present, onInput, isFirst, ...about }: FieldProps & ZoneProps) {
  const { isOpen, typed, text, found, at, ...search } = useZoneSearch({ value, present, onInput });
  const listId = useId();
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => list.current?.scrollIntoView({ block: "nearest" }), [isOpen, found.length]);
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [isOpen, at, found.length]);
  return (
    <Field
      {...about}
      control={(ids) => (
        <div class="combobox">
          <input
            {...ids}
            {...(isFirst && { ref: focusFirst })}
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
            <div
              ref={list}
              id={listId}
              class="menu-items"
              role="listbox"
              tabIndex={-1}
              aria-label={about.label}
              // The keyboard stays in the field.
              onMouseDown={(event) => event.preventDefault()}
            >
              {found.map((zone, index) => (
                <button
                  key={zone.value}
                  id={`${listId}-${index}`}
                  type="button"
                  role="option"
                  tabIndex={-1}
                  aria-selected={index === at}
                  onClick={() => search.choose(zone.value)}
                >
                  {zone.text}
                </button>
              ))}
              {found.length === 0 && <p class="hint">{t.ui.matches(0)}</p>}
            </div>
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
