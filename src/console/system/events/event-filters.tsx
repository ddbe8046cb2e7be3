import { type EventGroup, eventGroups, groupOf } from "../../../contract/event-records.ts";
import { eventTypes } from "../../../contract/event-types.ts";
import { t } from "../../catalogue/words.ts";
import { Filters, localTime } from "../../lists/filters.tsx";
import { place } from "../../navigation/navigation.ts";
import { useStore } from "../../store.ts";
import { Field, SelectField, TextField } from "../../ui/form/field.tsx";
import { errorAt } from "../../ui/form/form.tsx";
import { useTyped } from "../../ui/form/use-typed.ts";
import { actorKinds, changeEventsQuery, longestName } from "./events-query.ts";

/** Milliseconds back from now where a span of times begins that is to be chosen. */
const usualSpan = 86_400_000;

/** Narrows the list of events; the address keeps the filters, so that it can be shared. */
export function EventFilters({ error }: { readonly error: unknown }) {
  const { type = "", who = "", name = "", outcome = "", since = "", until = "" } = useStore(place).query;
  const any = { value: "", text: t.logs.all };
  return (
    <Filters inForce={[type, who, name, outcome, since, until].filter(Boolean).length}>
      <TypeField value={type} />
      <SelectField
        label={t.events.who}
        value={who}
        onInput={(value) => changeEventsQuery({ who: value })}
        options={[any, ...actorKinds.map((kind) => ({ value: kind, text: t.events.kinds[kind] }))]}
      />
      <NameField value={name} error={errorAt(error, "/name")} />
      <SelectField
        label={t.events.outcome}
        value={outcome}
        onInput={(value) => changeEventsQuery({ outcome: value })}
        options={[
          any,
          { value: "success", text: t.events.success },
          { value: "refused", text: t.events.refused },
        ]}
      />
      <TimeFields since={since} until={until} error={error} />
    </Filters>
  );
}

/** A group of types, or one of them. */
function TypeField({ value }: { readonly value: string }) {
  const groups = Object.keys(eventGroups) as EventGroup[];
  const types = Object.keys(eventTypes) as (keyof typeof eventTypes)[];
  const optionOf = (one: string, text: string) => (
    <option key={one} value={one} selected={one === value}>
      {text}
    </option>
  );
  return (
    <Field
      label={t.events.type}
      control={(ids) => (
        <select
          {...ids}
          value={value}
          onChange={({ currentTarget }) => changeEventsQuery({ type: currentTarget.value })}
        >
          {optionOf("", t.events.all)}
          {groups.map((group) => (
            <optgroup key={group} label={t.events.groups[group]}>
              {optionOf(group, t.events.allOf(t.events.groups[group]))}
              {types
                .filter((one) => groupOf(one) === group)
                .map((one) => optionOf(one, t.events.titles[one]))}
            </optgroup>
          ))}
        </select>
      )}
    />
  );
}

function NameField({ value, error }: { readonly value: string; readonly error: string | null }) {
  const [typed, setTyped] = useTyped(value, (name) => changeEventsQuery({ name }, true));
  return (
    <TextField
      type="search"
      label={t.events.name}
      value={typed}
      maxLength={longestName}
      spellcheck={false}
      onInput={setTyped}
      error={error}
    />
  );
}

/** Fields for the age of events, or for a span of time. */
function TimeFields({
  since,
  until,
  error,
}: {
  readonly since: string;
  readonly until: string;
  readonly error: unknown;
}) {
  const isSpan = since.includes("T") || until !== "";
  const timeField = (name: "since" | "until", label: string, value: string) => (
    <TextField
      label={label}
      type="datetime-local"
      value={localTime(value)}
      error={errorAt(error, `/${name}`)}
      onInput={(text) => {
        const at = new Date(text);
        if (text === "" || !Number.isNaN(at.getTime()))
          changeEventsQuery({ [name]: text && at.toISOString() }, true);
      }}
    />
  );
  return (
    <>
      <SelectField
        label={t.logs.since}
        value={isSpan ? "T" : since}
        onInput={(value) =>
          changeEventsQuery({
            since: value === "T" ? new Date(Date.now() - usualSpan).toISOString() : value,
            until: "",
          })
        }
        options={Object.entries(t.events.sinces).map(([value, text]) => ({ value, text }))}
      />
      {isSpan && timeField("since", t.events.fromTime, since)}
      {isSpan && timeField("until", t.events.untilTime, until)}
    </>
  );
}
