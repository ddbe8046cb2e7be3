import type { LogEntry, LogQuery } from "../../../contract/types.ts";
import { t } from "../../catalogue/words.ts";
import { Filters, TimeFields } from "../../lists/filters.tsx";
import { isOneOf } from "../../session/session.ts";
import { Field, SelectField, TextField } from "../../ui/form/field.tsx";
import { errorAt } from "../../ui/form/form.tsx";
import { useTyped } from "../../ui/form/use-typed.ts";

type LogFilters = Readonly<Record<string, string>>;

/** Without those of this page, by which it stays signed in, unless requests are asked for; other roles see none. */
export function queryOf({ unit, priority, q, since, status, user }: LogFilters): LogQuery {
  const others_only = !status && !user && isOneOf("admin");
  const asked = status === "all" ? "" : status;
  const all = { unit, priority, q, since, status: asked, user, others_only };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value)) as LogQuery;
}

/** The filters besides level and service; `onChange` gets each that changes, empty where it is taken back. */
export function LogFilterBar({
  filters: { q = "", since = "", status = "", user = "" },
  seen,
  error,
  onChange,
}: {
  readonly filters: LogFilters;
  /** Lines whose users are offered. */
  readonly seen: readonly LogEntry[];
  readonly error: unknown;
  readonly onChange: (name: keyof LogQuery, value: string) => void;
}) {
  const [typed, setTyped] = useTyped(q, (text) => onChange("q", text));
  const users = new Set(seen.flatMap(({ request }) => request?.user?.split("/")[0] ?? []));
  return (
    <Filters inForce={[q, since, status, user].filter(Boolean).length}>
      <TextField
        label={t.logs.text}
        type="search"
        value={typed}
        onInput={setTyped}
        error={errorAt(error, "/q")}
      />
      <TimeFields since={since} error={error} onInput={(times) => onChange("since", times.since ?? "")} />
      {/* Other roles see no lines of requests. */}
      {isOneOf("admin") && (
        <>
          <SelectField
            label={t.logs.requests}
            value={status}
            onInput={(value) => onChange("status", value)}
            options={Object.entries(t.logs.statuses).map(([value, text]) => ({ value, text }))}
          />
          <Field
            label={t.logs.user}
            error={errorAt(error, "/user")}
            control={(ids) => (
              <>
                {/* Looked for once it is whole. */}
                <input
                  {...ids}
                  list={`${ids.id}-seen`}
                  key={user}
                  defaultValue={user}
                  spellcheck={false}
                  autocomplete="off"
                  onChange={({ currentTarget }) => onChange("user", currentTarget.value.trim())}
                />
                <datalist id={`${ids.id}-seen`}>
                  {[...users].map((one) => (
                    <option key={one} value={one} />
                  ))}
                </datalist>
              </>
            )}
          />
        </>
      )}
    </Filters>
  );
}
