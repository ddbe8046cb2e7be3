import type { LogEntry, LogQuery, SeverityWord } from "../../../contract/types.ts";
import { t } from "../../catalogue/words.ts";
import { Filters, localTime, useTyped } from "../../lists/filters.tsx";
import { Field, SelectField, TextField } from "../../ui/form/field.tsx";
import { errorAt } from "../../ui/form/form.tsx";

/** What the page's address may ask of the log. */
export type LogFilters = Readonly<Record<string, string>>;

/** The query that the address asks for. */
export function queryOf({ unit, priority, q, since }: LogFilters): LogQuery {
  return {
    ...(unit && { unit }),
    ...(priority && { priority: priority as SeverityWord }),
    ...(q && { q }),
    ...(since && { since }),
  };
}

/** Which lines are wanted; `onChange` gets each filter that changes, empty where it is taken back. */
export function LogFilterBar({
  filters: { unit = "", priority = "", q = "", since = "" },
  seen,
  error,
  onChange,
}: {
  readonly filters: LogFilters;
  /** Lines whose units are offered. */
  readonly seen: readonly LogEntry[];
  readonly error: unknown;
  readonly onChange: (name: "unit" | "priority" | "q" | "since", value: string) => void;
}) {
  const [typed, setTyped] = useTyped(q, (text) => onChange("q", text));
  const isTime = since.includes("T");
  return (
    <Filters inForce={[unit, priority, q, since].filter(Boolean).length}>
      <Field
        label={t.logs.unit}
        error={errorAt(error, "/unit")}
        control={(ids) => (
          <>
            <input
              {...ids}
              list="log-units"
              key={unit}
              defaultValue={unit}
              spellcheck={false}
              autocomplete="off"
              onChange={({ currentTarget: { value } }) => onChange("unit", wholeUnit(value.trim()))}
            />
            <datalist id="log-units">
              {[...new Set(seen.map((line) => line.unit))].map((name) => (
                <option key={name} value={name} />
              ))}
            </datalist>
          </>
        )}
      />
      <SelectField
        label={t.logs.level}
        value={priority}
        onChange={(value) => onChange("priority", value)}
        options={[
          { value: "", text: t.logs.all },
          ...Object.entries(t.logs.levels).map(([value, text]) => ({ value, text: t.logs.atLeast(text) })),
        ]}
      />
      <TextField
        label={t.logs.text}
        type="search"
        value={typed}
        onInput={setTyped}
        error={errorAt(error, "/q")}
      />
      <SelectField
        label={t.logs.since}
        value={isTime ? "T" : since}
        onChange={(value) =>
          onChange("since", value === "T" ? new Date(Date.now() - 3_600_000).toISOString() : value)
        }
        options={Object.entries(t.logs.sinces).map(([value, text]) => ({ value, text }))}
      />
      {isTime && (
        <TextField
          label={t.logs.sinceTime}
          type="datetime-local"
          value={localTime(since)}
          error={errorAt(error, "/since")}
          onInput={(text) => {
            const at = new Date(text);
            if (!Number.isNaN(at.getTime())) onChange("since", at.toISOString());
          }}
        />
      )}
    </Filters>
  );
}

/** People leave the suffix out. */
function wholeUnit(name: string): string {
  return name === "" || /\.[a-z]+$/.test(name) ? name : `${name}.service`;
}
