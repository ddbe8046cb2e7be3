import { useState } from "preact/hooks";
import type { EventType } from "../../../contract/event-types.ts";
import type { AuditEvent } from "../../../contract/types.ts";
import { t } from "../../catalogue/words.ts";
import { navigate, place } from "../../navigation/navigation.ts";
import { usePart } from "../../parts/load-part.ts";
import { useStore } from "../../store.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { problemName } from "../../ui/by-code.ts";
import { SelectField } from "../../ui/form/field.tsx";
import { Empty, Section, Skeleton } from "../../ui/page.tsx";
import { ProblemView } from "../../ui/problem-view.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { visible } from "../../ui/visible.ts";
import { useEvents } from "./use-events.ts";

export function EventsPage() {
  const { path, query } = useStore(place);
  const { type = "" } = query;
  const events = useEvents((type || undefined) as EventType | undefined);
  const { items, isPaused, waiting } = events;
  return (
    <Section
      title={t.system.tabs.events}
      action={
        <Button kind={isPaused ? "primary" : "plain"} onClick={() => events.setPaused(!isPaused)}>
          {!isPaused ? t.logs.pause : waiting === 0 ? t.logs.follow : t.logs.followWith(waiting)}
        </Button>
      }
    >
      <div class="log-filters">
        <SelectField
          label={t.events.type}
          value={type}
          onChange={(next) => void navigate(path, { type: next })}
          options={[
            { value: "", text: t.events.all },
            ...Object.entries(t.events.titles).map(([value, text]) => ({ value, text })),
          ]}
        />
      </div>
      <ProblemView error={events.error ?? events.loadingOlder.error} />
      {items === null && events.error === null && <Skeleton lines={12} />}
      {items?.length === 0 && <Empty>{t.events.empty}</Empty>}
      {items !== null && items.length > 0 && (
        <Table
          caption={t.system.tabs.events}
          columns={columns()}
          rows={items}
          rowKey={({ seq }) => String(seq)}
        />
      )}
      {items !== null && items.length + waiting < events.total && (
        <Button isBusy={events.loadingOlder.isBusy} onClick={() => void events.loadingOlder.run()}>
          {t.events.older}
        </Button>
      )}
    </Section>
  );
}

function columns(): Column<AuditEvent>[] {
  return [
    { key: "time", title: t.logs.time, cell: ({ time }) => <Time at={time} /> },
    { key: "what", title: t.events.what, cell: (event) => <What event={event} /> },
    {
      key: "who",
      title: t.events.who,
      cell: ({ actor }) => (actor.name === null ? t.events.kinds[actor.kind] : named(actor.name)),
    },
    { key: "about", title: t.events.about, cell: ({ subject }) => named(subject?.name ?? "–") },
    { key: "outcome", title: t.events.outcome, cell: outcome },
    { key: "from", title: t.events.from, cell: ({ from }) => named(from) },
  ];
}

/** Letters of a name, or of an address, that are kept on one line. */
const shortName = 16;

function named(name: string) {
  return name.length > shortName ? <bdi>{visible(name)}</bdi> : visible(name);
}

/** All that is kept of it opens in its place. */
function What({ event }: { readonly event: AuditEvent }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{titleOf(event.type)}</summary>
      {isOpen && <Opened event={event} />}
    </details>
  );
}

function Opened({ event }: { readonly event: AuditEvent }) {
  const part = usePart("event", () => import("../../parts/event.ts"));
  return part === null ? <Skeleton /> : <part.Body event={event} />;
}

function outcome({ outcome: how, code, count }: AuditEvent) {
  if (how === "success") return <Badge state="good">{t.events.success}</Badge>;
  return (
    <Badge state="attention">
      {problemName(code ?? "") ?? code}
      {count > 1 && ` × ${count}`}
    </Badge>
  );
}

/** What people call a type of event; a newer agent may have types that this page does not know. */
function titleOf(type: string): string {
  const titles: Readonly<Record<string, string>> = t.events.titles;
  return titles[type] ?? type;
}
