import { t } from "../../catalogue/words.ts";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/form/field.tsx";
import { Rows, type RowsProps, useRowFocus } from "./list-field.tsx";
import { namedDays, type Window } from "./setting-words.ts";

/** Times of the week; none means any time. */
export function WindowsField({
  errors,
  value,
  onInput,
  ...rest
}: RowsProps & { readonly value: readonly Window[]; readonly onInput: (value: Window[]) => void }) {
  const [root, focus] = useRowFocus();
  return (
    <Rows
      {...rest}
      root={root}
      error={errors.get("")}
      verb={t.settings.addWindow}
      onAdd={() => {
        onInput([...value, { days: ["sat"], from: "02:00", to: "04:00" }]);
        focus(value.length);
      }}
    >
      {value.length === 0 && <p>{t.settings.always}</p>}
      {value.map((window, row) => (
        <WindowRow
          key={row}
          name={`${t.settings.window} ${row + 1}`}
          window={window}
          errorAt={(member) => errors.get(`/${row}/${member}`)}
          onInput={(next) => onInput(value.with(row, next))}
          onRemove={() => {
            onInput(value.toSpliced(row, 1));
            focus(Math.min(row, value.length - 2), 0);
          }}
        />
      ))}
    </Rows>
  );
}

function WindowRow({
  name,
  window,
  errorAt,
  onInput,
  onRemove,
}: {
  readonly name: string;
  readonly window: Window;
  readonly errorAt: (member: string) => string | undefined;
  readonly onInput: (window: Window) => void;
  readonly onRemove: () => void;
}) {
  const { days, from, to } = window;
  const time = (member: "from" | "to") => (
    <TextField
      label={member === "from" ? t.settings.from : t.settings.to}
      type="time"
      value={window[member]}
      error={errorAt(member)}
      onInput={(text) => onInput({ ...window, [member]: text })}
    />
  );
  return (
    <fieldset class="window" data-row aria-label={name}>
      <div class="days line">
        {namedDays().map(({ day, name: dayName }) => (
          <label key={day}>
            <input
              type="checkbox"
              checked={days.includes(day)}
              onChange={({ currentTarget: { checked } }) =>
                onInput({
                  ...window,
                  days: namedDays()
                    .map((one) => one.day)
                    .filter((one) => (one === day ? checked : days.includes(one))),
                })
              }
            />{" "}
            {dayName}
          </label>
        ))}
      </div>
      {errorAt("days") && <div class="error">{errorAt("days")}</div>}
      <div class="row">
        {time("from")}
        {time("to")}
        <Button label={`${t.settings.remove}: ${name}`} onClick={onRemove}>
          {t.settings.remove}
        </Button>
      </div>
      {to <= from && <p class="hint">{to === from ? t.settings.wholeDay : t.settings.nextDay}</p>}
    </fieldset>
  );
}
