import type { AuditEvent } from "../../../contract/types.ts";
import { t, wordFor } from "../../catalogue/words.ts";
import { usePart } from "../../client/parts.ts";
import { LongTable } from "../../lists/long-table.tsx";
import { Badge } from "../../ui/badge.tsx";
import { problemName } from "../../ui/by-code.ts";
import { Skeleton } from "../../ui/page.tsx";
import type { Column } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { visible } from "../../ui/visible.ts";

/** Events as rows, the newest first; each opens what is kept of it. */
export function EventsTable({
  events,
  total,
  onEndNear,
}: {
  readonly events: readonly AuditEvent[];
  readonly total: number;
  readonly onEndNear: () => void;
}) {
  return (
    <LongTable
      name="events"
      caption={t.system.tabs.events}
      columns={columns()}
      rows={events}
      total={total}
      rowKey={({ seq }) => String(seq)}
      details={(event) => <Opened event={event} />}
      onEndNear={onEndNear}
    />
  );
}

function Opened({ event }: { readonly event: AuditEvent }) {
  const part = usePart("event");
  return part === null ? <Skeleton /> : <part.Body event={event} />;
}

function columns(): Column<AuditEvent>[] {
  return [
    { key: "time", title: t.logs.time, cell: ({ time }) => <Time at={time} /> },
    { key: "what", title: t.events.what, opens: true, cell: ({ type }) => titleOf(type) },
    {
      key: "who",
      title: t.events.who,
      cell: ({ actor }) => (actor.name === null ? t.events.kinds[actor.kind] : named(actor.name)),
    },
    { key: "about", title: t.events.about, cell: ({ subject }) => subject && named(subject.name) },
    { key: "outcome", title: t.events.outcome, cell: outcome },
    { key: "from", title: t.events.from, cell: ({ from }) => named(from) },
  ];
}

/** A name in another writing direction must not turn the text around it. */
function named(name: string) {
  return <bdi>{visible(name)}</bdi>;
}

function outcome({ outcome: how, code, count }: AuditEvent) {
  const times = count > 1 && ` × ${count}`;
  if (how === "success")
    return (
      <span class="with-heads">
        <Badge state="good">
          {t.events.success}
          {times}
        </Badge>
      </span>
    );
  return (
    <Badge state="attention">
      {problemName(code ?? "") ?? code}
      {times}
    </Badge>
  );
}

/** The title of a type of event. A newer agent may have types that this page does not know. */
function titleOf(type: string): string {
  return wordFor<string>(t.events.titles, type) ?? type;
}
