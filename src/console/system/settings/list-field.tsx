import type { ComponentChildren, RefObject } from "preact";
import { useId, useRef } from "preact/hooks";
import { type TimeServerEntry, timeServer, withHost, withNts } from "../../../contract/clock/time-server.ts";
import { t } from "../../catalogue/words.ts";
import { Button } from "../../ui/button.tsx";
import type { FieldProps } from "../../ui/form/field.tsx";

export interface RowsProps extends Omit<FieldProps, "error"> {
  /** By the pointer within the value, such as `/0`; the empty one for the whole. */
  readonly errors: ReadonlyMap<string, string>;
}

/** Time servers, whose order counts. An entry keeps the form in which it was written until its tick changes. */
export function ListField({
  errors,
  value,
  onInput,
  ...rest
}: RowsProps & {
  readonly value: readonly TimeServerEntry[];
  readonly onInput: (value: TimeServerEntry[]) => void;
}) {
  const { label } = rest;
  const authenticated = `${t.home.authenticated} (NTS)`;
  const id = useId();
  const [root, focus] = useRowFocus();
  const move = (from: number, to: number): void => {
    onInput(value.with(from, value[to] ?? "").with(to, value[from] ?? ""));
    focus(to, to < from ? 0 : 1);
  };
  return (
    <Rows
      {...rest}
      root={root}
      error={errors.get("")}
      verb={t.settings.addItem}
      onAdd={() => {
        onInput([...value, ""]);
        focus(value.length);
      }}
    >
      {value.map((item, row) => {
        const { host, nts } = timeServer(item);
        const error = errors.get(`/${row}`);
        const button = (text: string, verb: string, isDisabled: boolean, onClick: () => void) => (
          <Button label={`${verb}: ${host}`} isDisabled={isDisabled} onClick={onClick}>
            {text}
          </Button>
        );
        return (
          <div key={row} data-row>
            <div class="row">
              <input
                aria-label={`${label} ${row + 1}`}
                aria-invalid={error ? true : undefined}
                aria-describedby={error ? `${id}-${row}` : undefined}
                value={host}
                spellcheck={false}
                autocomplete="off"
                onInput={({ currentTarget }) => onInput(value.with(row, withHost(item, currentTarget.value)))}
              />
              {button("↑", t.settings.moveUp, row === 0, () => move(row, row - 1))}
              {button("↓", t.settings.moveDown, row === value.length - 1, () => move(row, row + 1))}
              {button("✕", t.ui.remove, false, () => {
                onInput(value.toSpliced(row, 1));
                focus(Math.min(row, value.length - 2), 2);
              })}
            </div>
            <div class="days line">
              <label>
                <input
                  type="checkbox"
                  aria-label={`${authenticated}: ${host}`}
                  checked={nts}
                  onChange={({ currentTarget }) =>
                    onInput(value.with(row, withNts(item, currentTarget.checked)))
                  }
                />
                {authenticated}
              </label>
            </div>
            {error && (
              <div id={`${id}-${row}`} class="error">
                {error}
              </div>
            )}
          </div>
        );
      })}
    </Rows>
  );
}

/** The frame of the rows: their name, their hint, and the button for one more. */
export function Rows({
  label,
  hint,
  error,
  root,
  verb,
  onAdd,
  children,
}: FieldProps & {
  readonly root: RefObject<HTMLFieldSetElement | null>;
  readonly verb: string;
  readonly onAdd: () => void;
  readonly children: ComponentChildren;
}) {
  const id = useId();
  return (
    <fieldset class="field rows" ref={root} aria-describedby={id}>
      <legend>{label}</legend>
      <div id={id} class="hint">
        {hint}
      </div>
      {children}
      {error && <div class="error">{error}</div>}
      <div class="buttons" data-foot>
        <Button onClick={onAdd}>{verb}</Button>
      </div>
    </fieldset>
  );
}

type FocusRow = (row: number, button?: number) => void;

/** Puts the keyboard into a row once it is drawn: on one of its buttons, or its first input; without rows, on the foot. */
export function useRowFocus(): [RefObject<HTMLFieldSetElement | null>, FocusRow] {
  const root = useRef<HTMLFieldSetElement>(null);
  const focus: FocusRow = (row, button) => {
    requestAnimationFrame(() => {
      const place =
        root.current?.querySelectorAll("[data-row]")[row] ?? root.current?.querySelector("[data-foot]");
      const all = place?.querySelectorAll<HTMLElement>(button === undefined ? "input" : "button");
      (all?.[button ?? 0] ?? all?.[0])?.focus();
    });
  };
  return [root, focus];
}
