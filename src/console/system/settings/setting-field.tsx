import type { TimeServerEntry } from "../../../contract/clock/time-server.ts";
import { languages, t } from "../../catalogue/words.ts";
import { Button } from "../../ui/button.tsx";
import { ChoicesField } from "../../ui/form/choices-field.tsx";
import { DurationField } from "../../ui/form/duration-field.tsx";
import { CheckField, type FieldProps, SelectField, TextField } from "../../ui/form/field.tsx";
import { RadioField } from "../../ui/form/radio-field.tsx";
import { type MemberSchema, schemaAt, valueAt } from "./draft.ts";
import { errorsOf } from "./errors.ts";
import { ListField, Rows, type RowsProps, useRowFocus } from "./list-field.tsx";
import {
  hintOf,
  isDuration,
  labelOf,
  namedDays,
  optionOf,
  valueInWords,
  type Window,
} from "./setting-words.ts";
import { type Editing, mayChange } from "./use-editing.ts";

/**
 * One setting of the schema, as the control that its kind asks for; plain text for users who may not change it.
 * Label and hint are the catalogue's (`t.settings.words` and `options` by pointer), else the schema's own.
 * For any page: it goes into a `<SettingsForm>` with the same `editing`.
 */
export function SettingField({
  editing,
  pointer,
  isReasonSaid = false,
}: {
  readonly editing: Editing;
  /** Such as `/update/ota/channel`. */
  readonly pointer: string;
  /** The page says already why it cannot be changed. */
  readonly isReasonSaid?: boolean;
}) {
  const { schema: whole, draft } = editing;
  if (whole === null || draft.base === null) return null;
  const schema = schemaAt(whole, pointer);
  const base = valueAt(draft.base, pointer);
  const [label, about] = [labelOf(pointer), hintOf(pointer, schema)];
  if (!mayChange(whole, pointer))
    return (
      <div class="field setting-text">
        <strong>{label}</strong>
        <bdi>{valueInWords(pointer, base)}</bdi>
        <span class="hint">
          {about}
          {!isReasonSaid && ` ${t.settings.adminOnly}`}
        </span>
      </div>
    );
  const value = pointer in draft.typed ? draft.typed[pointer] : base;
  return (
    <div data-setting={pointer}>
      <Control
        pointer={pointer}
        schema={schema}
        value={value}
        onType={(typed) => editing.type(pointer, typed)}
        errors={errorsOf(editing, pointer)}
        label={label}
        hint={
          <>
            {about}
            {!isEmpty(schema.default) && <> {t.settings.byDefault(valueInWords(pointer, schema.default))}</>}
            {pointer in draft.collisions && (
              <span class="setting-meanwhile">{t.settings.meanwhile(valueInWords(pointer, base))}</span>
            )}
          </>
        }
      />
    </div>
  );
}

/** Choices that are shown side by side with an explanation each. */
const mostRadios = 5;

function Control({
  pointer,
  schema,
  value,
  onType,
  errors,
  ...field
}: Pick<FieldProps, "label" | "hint"> & {
  readonly pointer: string;
  readonly schema: MemberSchema;
  readonly value: unknown;
  readonly onType: (value: unknown) => void;
  /** By the pointer within the setting, the empty one for itself. */
  readonly errors: ReadonlyMap<string, string>;
}) {
  const error = errors.get("");
  const kinds = [schema.type].flat();
  if (typeof value === "boolean")
    return <CheckField {...field} error={error} value={value} onInput={onType} />;
  const isLanguage = pointer === "/console/language";
  const choices = isLanguage ? [...new Set([...languages(), String(value)])] : schema.enum;
  if (choices !== undefined) {
    // Beyond some choices a list is easier to look over, in which they have no explanations.
    const Field = isLanguage || choices.length > mostRadios ? SelectField : RadioField;
    const options = choices.map((one) => ({ value: one, ...optionOf(pointer, one) }));
    return <Field {...{ ...field, error, options }} value={String(value)} onInput={onType} />;
  }
  if (Array.isArray(value) && schema.items?.enum)
    return (
      <ChoicesField
        {...field}
        error={error ?? [...errors.values()][0]}
        value={value as string[]}
        onInput={onType}
        options={schema.items.enum.map((one) => ({ value: one, ...optionOf(pointer, one) }))}
      />
    );
  if (Array.isArray(value))
    return schema.items?.properties ? (
      <WindowsField {...field} errors={errors} value={value as Window[]} onInput={onType} />
    ) : (
      <ListField {...field} errors={errors} value={value as TimeServerEntry[]} onInput={onType} />
    );
  if (isDuration(schema))
    return <DurationField {...field} error={error} value={String(value)} onInput={onType} />;
  const isNumber = kinds.includes("integer");
  return (
    <TextField
      {...field}
      error={error}
      value={value === null ? "" : String(value)}
      inputMode={isNumber ? "numeric" : "text"}
      onInput={(text) => onType(isNumber ? numberOf(text.trim(), kinds.includes("null")) : text)}
    />
  );
}

/** Said by the hint, if at all. */
function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || String(value) === "";
}

/** A text that is not a number stays as it is: the agent refuses it. */
function numberOf(text: string, isNullable: boolean): unknown {
  if (text === "" && isNullable) return null;
  return /^\d{1,15}$/.test(text) ? Number(text) : text;
}

/** Times of the week; none means any time. */
function WindowsField({
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
        <Button label={`${t.ui.remove}: ${name}`} onClick={onRemove}>
          {t.ui.remove}
        </Button>
      </div>
      {to <= from && <p class="hint">{to === from ? t.settings.wholeDay : t.settings.nextDay}</p>}
    </fieldset>
  );
}
