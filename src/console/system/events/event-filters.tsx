import { type EventGroup, eventGroups } from "../../../contract/event-records.ts";
import type { EventType } from "../../../contract/event-types.ts";
import type { AuditEvent, EventCounts } from "../../../contract/types.ts";
import { t } from "../../catalogue/words.ts";
import { Chips, Filters, TimeFields } from "../../lists/filters.tsx";
import { place } from "../../navigation/navigation.ts";
import { useStore } from "../../store.ts";
import { SelectField, TextField } from "../../ui/form/field.tsx";
import { errorAt } from "../../ui/form/form.tsx";
import { useTyped } from "../../ui/form/use-typed.ts";
import { actorKinds, changeEventsQuery, longestName } from "./events-query.ts";

/** Narrows the list of events; the address keeps the filters, so that it can be shared. */
export function EventFilters({
  seen,
  error,
  reaches,
}: {
  /** Events in which the name of an id is looked for. */
  readonly seen: readonly AuditEvent[];
  readonly error: unknown;
  /** True of a time that is within the record: others are not offered. */
  readonly reaches: (since: string) => boolean;
}) {
  const { who = "", name = "", since = "", until = "" } = useStore(place).query;
  const any = { value: "", text: t.lists.all };
  return (
    <Filters inForce={[who, name, since, until].filter(Boolean).length}>
      <SelectField
        label={t.events.who}
        value={who}
        onInput={(value) => changeEventsQuery({ who: value })}
        options={[any, ...actorKinds.map((kind) => ({ value: kind, text: t.lists.kinds[kind] }))]}
      />
      <NameField value={nameIn(seen, name)} error={errorAt(error, "/name")} />
      <TimeFields {...{ since, until, error, reaches }} onInput={changeEventsQuery} />
    </Filters>
  );
}

export function EventChips({
  counts: { total, refused, groups },
}: {
  readonly counts: Omit<EventCounts, "spans">;
}) {
  const { type = "", outcome = "" } = useStore(place).query;
  const names = Object.keys(eventGroups) as EventGroup[];
  const ofGroups = names.map((value) => ({ value, text: t.events.groups[value], count: groups[value] ?? 0 }));
  // A link may ask for one type; the chip takes that back.
  const title = Object.hasOwn(t.events.titles, type) && t.events.titles[type as EventType];
  const ofType = title ? [{ value: type, text: title, count: total }] : [];
  return (
    <div class="chip-row line">
      <Chips
        label={t.events.type}
        value={type}
        options={[...ofGroups, ...ofType]}
        onChange={(value) => changeEventsQuery({ type: value })}
      />
      <Chips
        label={t.events.outcome}
        value={outcome}
        options={[{ value: "refused", text: t.events.refused, count: refused }]}
        onChange={(value) => changeEventsQuery({ outcome: value })}
      />
    </div>
  );
}

/** A link from the page of a user has their id, which says nothing to a person. */
function nameIn(seen: readonly AuditEvent[], sought: string): string {
  // A token has the id of its user, and another name.
  const people = seen.flatMap(({ actor, subject }) => [subject, actor.kind === "user" ? actor : null]);
  return people.find((one) => one?.id === sought)?.name ?? sought;
}

function NameField({ value, error }: { readonly value: string; readonly error: string | null }) {
  const [typed, setTyped] = useTyped(value, (name) => changeEventsQuery({ name }, true));
  return (
    <TextField
      type="search"
      label={t.ui.name}
      value={typed}
      maxLength={longestName}
      spellcheck={false}
      onInput={setTyped}
      error={error}
    />
  );
}
